/** Watching real files: what the file system tells of a change. */
import { expect, test } from "bun:test";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoadResult, loadConfig } from "../../src/config/load.ts";
import { stampOf } from "../../src/config/stamp.ts";
import { watchConfig } from "../../src/config/watch.ts";
import { folderWith } from "./fixture.ts";
import { limits } from "./watch-fixture.ts";

test("a file renamed into place is noticed by its inode, though time and size are the same", () => {
  const cwd = folderWith({ a: "one", b: "two" });
  const before = stampOf(join(cwd, "a"));
  renameSync(join(cwd, "b"), join(cwd, "a"));
  expect(stampOf(join(cwd, "a")).split(":")[2]).not.toBe(before.split(":")[2]);
  expect(stampOf(join(cwd, "b"))).toBe("missing");
});

test("on the real file system a file renamed into place is seen without a poll", async () => {
  const cwd = folderWith({ "toolcrib.jsonc": JSON.stringify({ bridge: { configPollSeconds: 0 } }) });
  const options = { cwd, home: cwd, env: {} };
  const { promise, resolve } = Promise.withResolvers<LoadResult>();
  const first = Promise.withResolvers<void>();
  const load: typeof loadConfig = (given) => {
    first.resolve();
    return loadConfig(given);
  };
  const watcher = watchConfig({ options, current: loadConfig(options), onChange: resolve, load });
  await first.promise; // the load that every watch begins with: what comes now is told by events alone
  writeFileSync(join(cwd, "new"), limits(5));
  renameSync(join(cwd, "new"), join(cwd, "toolcrib.jsonc"));
  const result = await promise;
  watcher.stop();
  expect(result.ok && result.config.limits.twinMs).toBe(5);
});
