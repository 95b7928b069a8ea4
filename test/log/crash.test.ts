/** What a killed process, a full disk and a second reader leave behind. */
import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions as definitions } from "../../events/all.ts";
import { verify } from "../../src/audit/verify.ts";
import type { Log } from "../../src/log/log.ts";
import { projections } from "../../src/log/projections/all.ts";
import { openReader } from "../../src/log/reader.ts";
import { asked, folder, open, opened } from "./fixture.ts";

const spawn = (path: string, mode: string) =>
  Bun.spawn([process.execPath, join(import.meta.dir, "child.ts"), path, mode], { stdout: "pipe", stderr: "inherit" });

/** Kill a writing process once it has said that so many events are durable. Answers the last number it said. */
async function killAfter(path: string, position: number): Promise<number> {
  const child = spawn(path, "write");
  let said = "";
  const durable = () => Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk);
    if (durable() >= position) child.kill("SIGKILL");
  }
  await child.exited;
  return durable();
}

test("after kill -9 in mid write every event that was acknowledged is there, and the log goes on", async () => {
  using data = folder();
  for (const position of [300, 900, 2000]) {
    const durable = await killAfter(data.path, position);
    const reader = openReader(data.path, definitions); // nobody has opened the log since: the WAL is as it was left
    expect(reader.head.position).toBeGreaterThanOrEqual(durable);
    expect(reader.page({ after: durable - 1, limit: 1 })).toHaveLength(1);
    reader.close();
    expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
    const log = open(data.path);
    expect(log.anchorProblem).toBeUndefined();
    expect(log.head.position).toBeGreaterThanOrEqual(durable);
    await log.append(opened(log.head.turn + 1, `s_${position}`));
    await log.close();
    expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
  }
}, 30_000);

test("a reader sees a running log, and what is committed while it is open", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  const reader = openReader(data.path, definitions);
  expect(reader.head.position).toBe(1);
  await log.append(asked(2, "s_1", "c1"));
  expect(reader.head).toEqual(log.head);
  expect(reader.eventsOfCall("c1")).toEqual(log.eventsOfCall("c1"));
  expect([...reader.read("session/s_1")]).toEqual([...log.read("session/s_1")]);
  expect(() => reader.query("delete from calls")).toThrow("readonly");
  reader.close();
  await log.close();
});

/** A limit of SQLite's own is as good as a small disk. */
function fillUp(log: Log): void {
  const [row] = log.query<{ page_count: number }>("pragma page_count");
  log.query(`pragma max_page_count=${row?.page_count ?? 1}`);
}
const big = (n: number) => asked(n, "s_1", `c${n}`, { args: { text: "x".repeat(8000) } });

test("a full disk: the reserve is released, what was queued is stored, and the owner is told to stop", async () => {
  using data = folder();
  const told: string[] = [];
  const log: Log = open(data.path, {
    reserveBytes: 65536,
    onDiskFull: () => void told.push("full"),
    onFailure: (error) => void told.push(String(error)),
    failpoint: (name) => {
      // The space that the reserve gives back.
      if (name === "before_begin" && !existsSync(join(data.path, "reserve"))) log.query("pragma max_page_count=1000000");
    },
  });
  await log.append(opened(1, "s_1"));
  expect(statSync(join(data.path, "reserve")).size).toBe(65536);
  fillUp(log);
  await Promise.all([log.append(big(2)), log.append(big(3))]);
  expect(told).toEqual(["full"]);
  expect(log.diskFull).toBeTrue();
  expect(log.head.position).toBe(5);
  await log.append(big(4)); // calls in flight still settle
  await log.close();
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound", events: 7 });
  await open(data.path, { reserveBytes: 65536 }).close();
  expect(existsSync(join(data.path, "reserve"))).toBeTrue();
});

test("a full disk without a reserve, or one that is not enough, is a failure and leaves nothing half", async () => {
  for (const reserveBytes of [0, 65536]) {
    using data = folder();
    const told: string[] = [];
    const log = open(data.path, {
      reserveBytes,
      onDiskFull: () => void told.push("full"),
      onFailure: (error) => void told.push(String(error)),
    });
    await log.append(opened(1, "s_1"));
    fillUp(log);
    void log.append(big(2));
    log.read("session/s_1"); // commits what waits
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("full");
    expect(log.head.position).toBe(1);
    await log.close();
    expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound", events: 1 });
  }
});

test("without a hook a full disk ends the log after the commit that the reserve made possible", async () => {
  using data = folder();
  const told: string[] = [];
  const log: Log = open(data.path, {
    reserveBytes: 65536,
    onFailure: (error) => void told.push(String(error)),
    failpoint: (name) => {
      if (name === "before_begin" && !existsSync(join(data.path, "reserve"))) log.query("pragma max_page_count=1000000");
    },
  });
  await log.append(opened(1, "s_1"));
  fillUp(log);
  await log.append(big(2));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("disk is full");
  await log.close();
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound", events: 3 });
});

test.each([
  { code: undefined, next: "" },
  { code: "ENOSPC", next: "; the disk is full: free some space and start again" },
])("by default a failure ($code) prints one line and ends the process with 70", async ({ code: failure, next }) => {
  using data = folder();
  const argv = [process.execPath, join(import.meta.dir, "failing-child.ts"), data.path, ...(failure === undefined ? [] : [failure])];
  const child = Bun.spawn(argv, { stdout: "pipe", stderr: "pipe" });
  const [code, out, err] = await Promise.all([child.exited, new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(code).toBe(70);
  expect(out).toBe("");
  expect(err).toBe(`toolcrib: the log cannot be written, stopping: no space for that${next}\n`);
});
