/** A folder of configuration files that is watched with a fake clock and fake events. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoadResult, loadConfig } from "../../src/config/load.ts";
import { type WatchOptions, watchConfig } from "../../src/config/watch.ts";
import { fakeTimers } from "./fake-timers.ts";
import { folderWith } from "./fixture.ts";

export const limits = (twinMs: number) => JSON.stringify({ limits: { twinMs } });

/** A watched folder with a fake clock. Without `events` the file system is silent and only the poll can tell. */
export function watched(files: Readonly<Record<string, unknown>>, more: Partial<WatchOptions> = {}) {
  const cwd = folderWith(files);
  const options = { cwd, home: join(cwd, "home"), env: {} };
  const timers = fakeTimers();
  const results: LoadResult[] = [];
  const listeners = new Map<string, (name: string | undefined) => void>();
  const watcher = watchConfig({
    options,
    current: loadConfig(options),
    onChange: (result) => results.push(result),
    timers,
    watchFolder: (folder, changed) => {
      listeners.set(folder, changed);
      return { close: () => listeners.delete(folder) };
    },
    ...more,
  });
  return {
    cwd,
    timers,
    listeners,
    stop: () => watcher.stop(),
    write: (name: string, content: string) => writeFileSync(join(cwd, name), content),
    event: (name: string | undefined) => listeners.get(cwd)?.(name),
    /** The value of limits.twinMs in each result, or "broken". */
    seen: () => results.map((result) => (result.ok ? result.config.limits.twinMs : "broken")),
    results,
  };
}
