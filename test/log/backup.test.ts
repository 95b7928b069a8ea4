/** A backup is a whole log: taken beside a running owner, sound, and one that can be put in its place. */
import { expect, test } from "bun:test";
import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions as definitions } from "../../events/all.ts";
import { verify } from "../../src/audit/verify.ts";
import { backupToFolder as backup, backupToFile } from "../../src/log/backup.ts";
import { projections } from "../../src/log/projections/all.ts";
import { asked, folder, open, opened } from "./fixture.ts";

test("a backup of a running log is sound, holds its blobs, and can be continued", async () => {
  using data = folder();
  using target = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  for (const [n, size] of [100, 9000, 2_000_000].entries())
    await log.append(asked(n + 2, "s_1", `c${n}`, { args: { text: "x".repeat(size) } }));
  const to = join(target.path, "copy");
  backup(data.path, to);
  expect(await verify(to, { projections, definitions })).toMatchObject({ verdict: "sound", events: 7, checked: { blobs: 2 } });
  await log.append(opened(9, "s_2"));
  await log.close();
  const restored = open(to);
  expect(restored.head.position).toBe(7);
  expect(restored.anchorProblem).toBeUndefined();
  await restored.append(opened(9, "s_3"));
  await restored.close();
  expect(await verify(to, { projections, definitions })).toMatchObject({ verdict: "sound", events: 8 });
});

test("a folder that holds something is not overwritten", async () => {
  using data = folder();
  using other = folder();
  await open(data.path).close();
  await open(other.path).close();
  expect(() => backup(data.path, other.path)).toThrow("not empty");
});

test("a backup in one file holds the large blobs too, and is a sound log again with its anchor and the keys", async () => {
  using data = folder();
  using target = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  await log.append(asked(2, "s_1", "c1", { args: { text: "x".repeat(2_000_000) } }));
  const file = join(target.path, "copy.db");
  backupToFile(data.path, file);
  await log.close();
  const restored = join(target.path, "restored");
  mkdirSync(restored);
  copyFileSync(file, join(restored, "events.db"));
  copyFileSync(`${file}.anchor`, join(restored, "anchor"));
  cpSync(join(data.path, "keys"), join(restored, "keys"), { recursive: true });
  expect(await verify(restored, { projections, definitions })).toMatchObject({ verdict: "sound", checked: { blobs: 1 } });
  expect(() => backupToFile(data.path, file)).toThrow("is there already");
});
