/** `toolcrib stdio`: clients that come and go, and the one daemon behind them. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { envelope } from "../mcp/upstream/serve.ts";
import { clear, lines, type Place, place, processes, run, serve, start, until } from "./support.ts";

let here: Place;
beforeEach(() => {
  here = place();
});
afterEach(() => clear(here));

const rpc = (id: number, method: string, params: object) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const INITIALIZE = rpc(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } });
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const call = (id: number, name: string, args: object) => rpc(id, "tools/call", { name, arguments: args });
const flags = () => ["--config", here.config, "--data", here.data];

/** A client that stays: sends a line, waits for the answer of that id. */
function client(more: readonly string[] = []) {
  const child = start(["stdio", ...flags(), ...more]);
  const reader = child.stdout.getReader();
  let text = "";
  const seen: Record<string, unknown>[] = [];
  return {
    child,
    seen,
    async ask(id: number, line: string): Promise<Record<string, unknown>> {
      child.stdin.write(line);
      child.stdin.flush();
      for (;;) {
        const answer = seen.find((message) => message["id"] === id);
        if (answer) return answer;
        const { value, done } = await reader.read();
        if (done) throw new Error(`it ended before it answered ${id}: ${await new Response(child.stderr).text()}`);
        text += new TextDecoder().decode(value);
        const end = text.lastIndexOf("\n") + 1;
        seen.push(...lines(text.slice(0, end))); // throws at anything that is not JSON
        text = text.slice(end);
      }
    },
  };
}

/** Asks again while the servers behind are still being connected. */
async function callUntilConnected(one: ReturnType<typeof client>, name: string): Promise<void> {
  let id = 100;
  await until(async () => {
    const { result } = (await one.ask(++id, call(id, name, { text: "hi" }))) as { result?: { isError?: boolean } };
    return result !== undefined && result.isError !== true;
  });
}

/** Our servers' processes that are alive. */
const children = () => readFileSync(join(here.root, "starts"), "utf8").trim().split("\n").map(Number).filter(isAlive);
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("every request that was piped in is answered before it ends, and nothing else is on stdout", async () => {
  const { code, stdout, stderr } = await run(["stdio", ...flags()], { stdin: INITIALIZE + rpc(2, "tools/list", {}) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const messages = lines(stdout);
  const answers = messages.filter(({ method }) => method !== "notifications/tools/list_changed"); // a server may just have come
  expect(answers).toMatchObject([1, 2].map((id) => ({ jsonrpc: "2.0", id, result: {} })));
});

test("two that start at once share the one daemon that is started", async () => {
  const both = await Promise.all([1, 2].map(() => run(["stdio", ...flags()], { stdin: INITIALIZE })));
  expect(both.map(({ code, stdout }) => [code, lines(stdout).length])).toEqual([
    [0, 1],
    [0, 1],
  ]);
  await until(() => processes("serve", here.data).length === 1);
});

test("three clients at once; when the first is killed the others go on, with one child a server and a session each", async () => {
  const [first, second, third] = [client(), client(), client()];
  for (const one of [first, second, third]) await one.ask(1, INITIALIZE);
  await callUntilConnected(first, "one__echo");
  await callUntilConnected(first, "two__echo");
  first.child.kill("SIGKILL");
  await first.child.exited;
  for (const one of [second, third])
    expect(await one.ask(2, call(2, "one__echo", { text: "still" }))).toMatchObject({ result: { content: [{ text: "still" }] } });
  expect(children()).toHaveLength(2);
  for (const one of [second, third]) {
    await one.child.stdin.end();
    expect(await one.child.exited).toBe(0);
  }
  const opened = lines((await run(["events", "--json", "--type", "session.opened", "--data", here.data])).stdout);
  expect(new Set(opened.map(({ data }) => (data as { name: string }).name)).size).toBe(3);
});

test("the session is the one that --session names", async () => {
  await run(["stdio", "--session", "mine", ...flags()], { stdin: INITIALIZE });
  const [opened] = lines((await run(["events", "--json", "--type", "session.opened", "--data", here.data])).stdout);
  expect(opened).toMatchObject({ data: { name: "mine", client: "test", agent: "default" } });
});

test("a modern client that follows tasks gets one, and its result", async () => {
  const far = { command: process.execPath, args: [resolve("test/fixtures/servers/task-server.ts")], tasks: true };
  writeFileSync(here.config, JSON.stringify({ listen: "127.0.0.1:0", mcpServers: { far } }));
  const one = client();
  const modern = (id: number, method: string, params: object) =>
    one.ask(
      id,
      rpc(id, method, { ...params, _meta: envelope({ [CAPABILITIES]: { extensions: { "io.modelcontextprotocol/tasks": {} } } }) }),
    );
  let id = 0;
  let task: { resultType?: string; taskId?: string } | undefined;
  await until(async () => {
    const { result } = await modern(++id, "tools/call", { name: "far__quick", arguments: { value: 7 } });
    task = result as typeof task;
    return task?.resultType === "task";
  });
  expect(task?.taskId).toMatch(/^t_[0-9a-f]{32}$/);
  let state: { status?: string } | undefined;
  await until(async () => {
    state = (await modern(++id, "tasks/get", { taskId: task?.taskId }))["result"] as typeof state;
    return state?.status !== "working";
  });
  expect(state).toMatchObject({ status: "completed", result: { content: [{ text: "quick 7" }] } });
});

test("what loads code into the runtime is not handed on to the daemon", async () => {
  const { stderr } = await run(["stdio", ...flags()], { stdin: INITIALIZE, env: { BUN_OPTIONS: "--smol" } });
  expect(stderr).toContain("BUN_OPTIONS is set");
  const [daemon] = processes("serve", here.data);
  expect(readFileSync(`/proc/${daemon}/environ`, "utf8")).not.toContain("BUN_OPTIONS");
});

describe("when the daemon dies", () => {
  test("the forwarder ends 69 with a sentence", async () => {
    const daemon = await serve(here);
    const one = client();
    await one.ask(1, INITIALIZE);
    daemon.kill("SIGKILL");
    expect(await one.child.exited).toBe(69);
    expect(await new Response(one.child.stderr).text()).toContain("ended before its client did");
  });

  test("a new one is started over what is left of it", async () => {
    const daemon = await serve(here);
    daemon.kill("SIGKILL");
    await daemon.exited;
    expect((await run(["stdio", ...flags()], { stdin: INITIALIZE })).code).toBe(0);
  });
});

test("a daemon that cannot start says why, with its own exit code", async () => {
  writeFileSync(here.config, '{ "unknown": 1 }');
  const { code, stdout, stderr } = await run(["stdio", ...flags()], { stdin: INITIALIZE });
  expect({ code, stdout }).toEqual({ code: 78, stdout: "" });
  expect(stderr).toContain("unknown: is not a known key");
});

test("--in-process runs everything itself, takes the folder, and gives it back", async () => {
  const one = client(["--in-process"]);
  await one.ask(1, INITIALIZE);
  await callUntilConnected(one, "one__echo");
  const second = await run(["stdio", "--in-process", ...flags()], { stdin: INITIALIZE });
  expect(second).toMatchObject({ code: 69, stdout: "" });
  await one.child.stdin.end();
  expect(await one.child.exited).toBe(0);
  expect(children()).toEqual([]);
  expect((await run(["verify", "--data", here.data])).code).toBe(0);
});

test("a daemon in the background ends by itself when nobody uses it, and takes another port when its own is taken", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
  const idle = ["serve", "--detached", "--idle-exit", "300ms", ...flags(), "--listen", `127.0.0.1:${taken.port}`];
  const { code, stderr } = await run(idle);
  await taken.stop(true);
  expect(code).toBe(0);
  expect(stderr).not.toContain(`:${taken.port}\n`);
  const stopped = lines((await run(["events", "--json", "--type", "process.stopped", "--data", here.data])).stdout);
  expect(stopped).toMatchObject([{ data: { reason: "idle" } }]);
});
