/** The child process: how it starts, how it ends, and that nothing of it stays. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { markedInFile, sweepOrphans } from "../../../src/mcp/downstream/orphans.ts";
import { closeAll, FIXTURE, fixture, isAlive, open, textOf, until, untilDead } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "downstream-"));
afterEach(closeAll);
afterEach(() => rmSync(join(folder, "starts"), { force: true }));

const call = (tool: string) => ({ tool, arguments: {} });
const starts = (): number => readFileSync(join(folder, "starts"), "utf8").trim().split("\n").length;
const counted = (env: Record<string, string>) => fixture({ FIXTURE_STARTS_FILE: join(folder, "starts"), ...env });

describe("finding the era", () => {
  test.each([
    ["modern", "none", "modern", 1],
    ["legacy", "none", "legacy", 1],
    ["exits", "none", "legacy", 2],
    ["exits", "legacy", "legacy", 1],
    ["legacy", "modern", "legacy", 1],
    ["modern", "legacy", "modern", 2],
  ] as const)("of a server that is %s, with hint %s, gives %s after %i starts", async (mode, hint, era, expected) => {
    const eraHint = hint === "none" ? undefined : { era: hint };
    const { downstream } = await open(counted({ FIXTURE_ERA: mode }), { eraHint });
    expect(downstream.introduction.era).toBe(era);
    expect(downstream.introduction.eraGuessed).toBeUndefined();
    expect(textOf(await downstream.call({ tool: "echo", arguments: { text: "hi" } }))).toBe("hi");
    expect(starts()).toBe(expected);
  });

  test("of a server that ignores the question is a guess, on the same process", async () => {
    const { downstream } = await open(counted({ FIXTURE_ERA: "silent" }), { connectTimeoutMs: 1000 });
    expect(downstream.introduction).toMatchObject({ era: "legacy", eraGuessed: true });
    expect(starts()).toBe(1);
  });
});

describe("a connection that cannot be made says why", () => {
  test("no such command", async () => {
    await expect(open({ kind: "stdio", command: "no-such-command", args: [], env: {} })).rejects.toThrow(
      'Cannot start "no-such-command": no such command or folder.',
    );
  });

  test("not executable", async () => {
    await expect(open({ kind: "stdio", command: FIXTURE, args: [], env: {} })).rejects.toThrow("it is not executable");
  });

  test("the process ends at once: code and last words", async () => {
    await expect(open(fixture({ FIXTURE_DEAD: "1" }))).rejects.toThrow(
      /the process exited with code 2 before it answered\. Its last words on stderr: "fatal: no configuration"/,
    );
  });

  test("no answer in time: the process is ended", async () => {
    const target = counted({ FIXTURE_START_MS: "60000", FIXTURE_IGNORE_SIGTERM: "1" });
    await expect(open(target, { connectTimeoutMs: 500, killAfterMs: 100 })).rejects.toThrow("no answer within 500 ms");
    const pid = Number(readFileSync(join(folder, "starts"), "utf8"));
    expect(await isAlive(pid)).toBe(false);
  });
});

test("a server that starts slowly is waited for", async () => {
  const { downstream } = await open(fixture({ FIXTURE_START_MS: "700" }));
  expect(downstream.introduction.era).toBe("legacy");
});

test("the child sees the allow-listed environment, its own variables and the marker, not ours", async () => {
  const environment = {
    ...process.env,
    TOOLCRIB_TOKEN: "secret",
    DATABASE_PASSWORD: "secret",
    BUN_OPTIONS: "--smol",
    NODE_OPTIONS: "--no-warnings",
  };
  const { downstream } = await open(fixture({ API_KEY: "mine" }), { environment, marker: "m-env" });
  const seen: Record<string, string> = JSON.parse(textOf(await downstream.call(call("env"))));
  expect(seen).toMatchObject({ API_KEY: "mine", TOOLCRIB_CHILD: "m-env", PATH: process.env["PATH"] });
  for (const name of ["TOOLCRIB_TOKEN", "DATABASE_PASSWORD", "BUN_OPTIONS", "NODE_OPTIONS"]) expect(seen[name]).toBeUndefined();
});

describe("a process that ends in mid call", () => {
  test("loses the calls it had, tells once, and takes no more", async () => {
    const { downstream, closed } = await open(fixture());
    const waiting = downstream.call(call("hang"));
    const crash = downstream.call(call("crash"));
    const reason = "the process exited with code 7";
    expect(await Promise.all([waiting, crash])).toEqual([
      { kind: "lost", reason },
      { kind: "lost", reason },
    ]);
    await until(() => closed.length > 0);
    expect(closed).toEqual([reason]);
    expect(await downstream.call(call("echo"))).toEqual({ kind: "not_sent", reason });
    await expect(downstream.listTools()).rejects.toThrow(reason);
  });

  test("is not reported to an owner who closes as soon as the call is lost", async () => {
    const { downstream, closed } = await open(fixture());
    await downstream.call(call("crash"));
    await downstream.close();
    await new Promise(setImmediate);
    expect(closed).toEqual([]);
  });

  test("by kill -9 is the same", async () => {
    const { downstream, closed } = await open(fixture());
    const waiting = downstream.call(call("hang"));
    await downstream.call(call("echo"));
    process.kill(downstream.pid ?? 0, "SIGKILL");
    expect(await waiting).toEqual({ kind: "lost", reason: "the process was ended by SIGKILL" });
    await until(() => closed.length > 0);
  });

  test("leaves no grandchild behind", async () => {
    const { downstream } = await open(fixture(), { killAfterMs: 200 });
    const grandchild = Number(textOf(await downstream.call(call("grandchild"))));
    expect(await isAlive(grandchild)).toBe(true);
    await downstream.call(call("crash"));
    await untilDead(grandchild);
  });
});

describe("closing", () => {
  test("settles open calls as lost and does not report itself as a broken connection", async () => {
    const { downstream, closed } = await open(fixture());
    const waiting = downstream.call(call("hang"));
    await downstream.close();
    expect(await waiting).toEqual({ kind: "lost", reason: "closed" });
    expect(await downstream.call(call("echo"))).toEqual({ kind: "not_sent", reason: "closed" });
    expect(closed).toEqual([]);
    await downstream.close();
  });

  test("lets a server end by itself when its input ends", async () => {
    const { downstream } = await open(fixture({ FIXTURE_IGNORE_SIGTERM: "0" }));
    const pid = downstream.pid ?? 0;
    await downstream.close();
    expect(await isAlive(pid)).toBe(false);
  });

  test("ends a child that ignores SIGTERM, and its grandchild that does, too", async () => {
    const { downstream } = await open(fixture({ FIXTURE_IGNORE_SIGTERM: "1" }), { killAfterMs: 300 });
    const grandchild = Number(textOf(await downstream.call(call("grandchild"))));
    const pid = downstream.pid ?? 0;
    await downstream.close();
    expect(downstream.stderr()).toContain("SIGTERM ignored");
    await untilDead(pid);
    await untilDead(grandchild);
  });
});

describe("orphans of a parent that was killed", () => {
  /** A parent of its own that connects to a stubborn server and then waits to be killed. */
  async function orphan(marker: string): Promise<{ child: number; grandchild: number }> {
    const program = `
      import { open, fixture, textOf } from ${JSON.stringify(`${import.meta.dir}/support.ts`)};
      const { downstream } = await open(fixture({ FIXTURE_IGNORE_SIGTERM: "1" }), { marker: ${JSON.stringify(marker)} });
      console.log(JSON.stringify({ child: downstream.pid, grandchild: Number(textOf(await downstream.call({ tool: "grandchild", arguments: {} }))) }));
      setInterval(() => undefined, 1000);`;
    const parent = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "ignore", stdin: "ignore" });
    const { value } = await parent.stdout.getReader().read();
    parent.kill("SIGKILL");
    await parent.exited;
    return JSON.parse(new TextDecoder().decode(value));
  }

  test("are found by the marker and ended with what they started; others are spared", async () => {
    const marker = `m-${crypto.randomUUID()}`;
    const { child, grandchild } = await orphan(marker);
    expect(await isAlive(child)).toBe(true);
    expect(sweepOrphans(`${marker}-other`)).toBe(0);
    expect(await isAlive(child)).toBe(true);
    expect(sweepOrphans(marker)).toBe(1);
    await untilDead(child);
    await untilDead(grandchild);
    await until(() => sweepOrphans(marker) === 0);
  });

  test("are found through the file of process ids where there is no /proc", async () => {
    const pidFile = join(folder, "pids");
    const marker = `m-${crypto.randomUUID()}`;
    const { downstream } = await open(fixture(), { marker, pidFile });
    expect([...markedInFile(marker, pidFile)]).toEqual([downstream.pid ?? 0]);
    expect(markedInFile("another", pidFile).size).toBe(0);
    await downstream.close();
    expect(markedInFile(marker, pidFile).size).toBe(0);
  });
});
