/** Notices changes of the configuration files, by watching their folders and by polling (some file systems send no events), and loads them again. */
import { watch as fsWatch } from "node:fs";
import { basename, dirname } from "node:path";
import { type LoadOptions, type LoadResult, loadConfig } from "./load.ts";
import { stampOf } from "./stamp.ts";

const DEBOUNCE_MS = 500;
/** A file that is written to all the time is read all the same. */
const LONGEST_WAIT_MS = 2000;

export interface Timers {
  now(): number;
  set(run: () => void, ms: number): unknown;
  clear(timer: unknown): void;
}

export interface WatchOptions {
  /** What the running configuration was loaded with. */
  readonly options: LoadOptions;
  /** The result that is in force. */
  readonly current: LoadResult;
  /** Called with each result that differs from the one before. One that is not `ok` leaves the running configuration in force. */
  readonly onChange: (result: LoadResult) => void;
  readonly timers?: Timers;
  /** Reports the names of files that changed in a folder (undefined: some file). May throw: then there is only the poll. */
  readonly watchFolder?: (folder: string, changed: (name: string | undefined) => void) => { close(): void };
  readonly load?: (options: LoadOptions) => LoadResult;
  /** Changes whenever a file does; the same for every missing file. */
  readonly stamp?: (path: string) => string;
}

/** Watch until `stop`. Once a main file is in use it stays the one: if it disappears, that is an error and not a reason to take another. */
export function watchConfig(watching: WatchOptions): { stop(): void } {
  const { options, onChange, timers = realTimers, watchFolder = watchRealFolder, load = loadConfig, stamp = stampOf } = watching;
  const folders = new Map<string, { close(): void }>();
  let latest = watching.current;
  let file = latest.file;
  let pollSeconds = latest.ok ? latest.config.bridge.configPollSeconds : 0;
  let stamps = "";
  let debounce: { timer: unknown; readonly since: number } | undefined;
  let poll: unknown;

  const stampAll = () => latest.watched.map(stamp).join("\n");

  function schedule(): void {
    const since = debounce?.since ?? timers.now();
    if (debounce !== undefined) timers.clear(debounce.timer);
    const wait = Math.max(0, Math.min(DEBOUNCE_MS, since + LONGEST_WAIT_MS - timers.now()));
    debounce = { since, timer: timers.set(reload, wait) };
  }

  function reload(): void {
    debounce = undefined;
    stamps = stampAll(); // before reading: an edit that lands meanwhile differs from it
    const result = load(file === undefined ? options : { ...options, flag: file });
    const moved = result.watched.join("\n") !== latest.watched.join("\n");
    const different = signature(result) !== signature(latest);
    latest = result;
    if (result.ok) {
      file = result.file;
      pollSeconds = result.config.bridge.configPollSeconds;
    }
    if (moved) schedule(); // other files now: their stamps must be older than their reading, too
    arm();
    if (different) onChange(result);
  }

  function look(): void {
    if (stampAll() !== stamps) {
      close(); // the events did not tell: perhaps the folder is another one now
      schedule();
    }
    arm();
  }

  function arm(): void {
    const wanted = new Set(latest.watched.map(dirname));
    for (const [folder, watcher] of folders)
      if (!wanted.has(folder)) {
        watcher.close();
        folders.delete(folder);
      }
    for (const folder of wanted) {
      if (folders.has(folder)) continue;
      try {
        folders.set(
          folder,
          watchFolder(folder, (name) => isOurs(folder, name) && schedule()),
        );
      } catch {
        // No such folder yet, or no events on this file system: the poll sees the change.
      }
    }
    timers.clear(poll);
    poll = pollSeconds > 0 ? timers.set(look, pollSeconds * 1000) : undefined;
  }

  const isOurs = (folder: string, name: string | undefined) =>
    name === undefined || latest.watched.some((path) => dirname(path) === folder && basename(path) === name);

  function close(): void {
    for (const watcher of folders.values()) watcher.close();
    folders.clear();
  }

  stamps = stampAll();
  arm();
  schedule(); // what changed between the first load and now
  return {
    stop() {
      close();
      timers.clear(poll);
      if (debounce !== undefined) timers.clear(debounce.timer);
    },
  };
}

const signature = (result: LoadResult): string => JSON.stringify(result.ok ? [result.fingerprint, result.references] : result.errors);

const realTimers: Timers = {
  now: () => performance.now(),
  set: (run, ms) => setTimeout(run, ms).unref(),
  clear: (timer) => clearTimeout(timer as Timer | undefined),
};

function watchRealFolder(folder: string, changed: (name: string | undefined) => void): { close(): void } {
  const watcher = fsWatch(folder, { persistent: false }, (_, name) => changed(name ?? undefined));
  watcher.on("error", () => watcher.close());
  return watcher;
}
