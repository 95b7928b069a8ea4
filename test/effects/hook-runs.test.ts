/** Hooks as they are run: real programs, and a server. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runHookCommand } from "../../src/effects/hook-command.ts";
import { runHookHttp } from "../../src/effects/hook-http.ts";
import { decisionOf } from "../../src/effects/hook-reply.ts";
import { childEnvironment } from "../../src/mcp/downstream/environment.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";

const SCRIPT = new URL("../fixtures/hooks/hook.ts", import.meta.url).pathname;
const env = childEnvironment({ PATH: process.env["PATH"], API_KEY: "not for hooks" }, {}, "m1");
const input = { event: "preToolUse", name: "mail__send", arguments: { to: "grace" } };
const run = (mode: string, signal = new AbortController().signal, ...more: string[]) =>
  runHookCommand([process.execPath, SCRIPT, mode, ...more], env, input, signal);
const folder = mkdtempSync(join(tmpdir(), "toolcrib-hooks-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a program", () => {
  test("gets the input on stdin and the environment of child servers", async () => {
    const decision = decisionOf(await run("echo"));
    const seen = JSON.parse(decision.kind === "block" ? (decision.words ?? "") : "") as { input: unknown; env: Record<string, string> };
    expect(seen.input).toEqual(input);
    expect(seen.env["TOOLCRIB_CHILD"]).toBe("m1");
    expect(seen.env).not.toHaveProperty("API_KEY");
  });

  test("that ends well and says nothing lets the call pass", async () => {
    expect(decisionOf(await run("silent"))).toEqual({ kind: "allow" });
  });

  test("that exits with 2 blocks, with its stderr as the reason", async () => {
    expect(decisionOf(await run("exit2"))).toEqual({ kind: "block", words: "not today" });
  });

  test("that exits with anything else has failed", async () => {
    expect(await run("exit3")).toEqual({ kind: "failed", reason: "it exited with code 3" });
  });

  test("that cannot be started has failed", async () => {
    const reply = await runHookCommand([join(folder, "nothing")], env, input, new AbortController().signal);
    expect(reply).toMatchObject({ kind: "failed", reason: expect.stringContaining("cannot be started") });
  });

  test("that writes without end has failed", async () => {
    expect(await run("flood")).toMatchObject({ kind: "failed", reason: expect.stringContaining("65536") });
  });

  test("that is not waited for any more is ended with everything that it started", async () => {
    const stop = new AbortController();
    const file = join(folder, "pid");
    const reply = run("linger", stop.signal, file);
    let pid = Number.NaN;
    while (Number.isNaN(pid))
      pid = Number.parseInt(
        await Bun.file(file)
          .text()
          .catch(() => ""),
        10,
      );
    stop.abort();
    expect(await reply).toMatchObject({ kind: "failed" });
    const isThere = async () =>
      /^State:\s+[^ZX]/m.test(
        await Bun.file(`/proc/${pid}/status`)
          .text()
          .catch(() => ""),
      );
    while (await isThere()) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("an address", () => {
  const got: unknown[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/block") {
        got.push(request.method, request.headers.get("content-type"), request.headers.get("toolcrib-hook-depth"), await request.json());
        return Response.json({ decision: "block", reason: "no" });
      }
      if (pathname === "/flood") return new Response("x".repeat(70_000));
      return new Response(null, { status: pathname === "/empty" ? 204 : 500 });
    },
  });
  afterAll(() => server.stop(true));
  const ask = (path: string, allowPrivate = true) => {
    const fetch = createGuardedFetch({ resolve: async () => ["127.0.0.1"], allowPrivate: () => allowPrivate });
    return runHookHttp(fetch, `http://127.0.0.1:${server.port}${path}`, input, new AbortController().signal, "a pass");
  };

  test("gets the input as JSON, and its answer is the decision", async () => {
    expect(decisionOf(await ask("/block"))).toEqual({ kind: "block", words: "no" });
    expect(got).toEqual(["POST", "application/json", "a pass", input]);
  });

  test("that answers well and says nothing lets the call pass", async () => {
    expect(decisionOf(await ask("/empty"))).toEqual({ kind: "allow" });
  });

  test("that answers with an error, or without end, has failed", async () => {
    expect(await ask("/error")).toEqual({ kind: "failed", reason: "it answered with status 500" });
    expect(await ask("/flood")).toMatchObject({ kind: "failed" });
  });

  test("that is private is not asked unless the operator allows it", async () => {
    const before = got.length;
    expect(await ask("/block", false)).toMatchObject({ kind: "failed" });
    expect(got).toHaveLength(before);
  });
});

describe("an output", () => {
  const read = (text: string) => decisionOf({ kind: "output", text });
  test.each([
    ["no JSON", "allow"],
    ["no decision", "{}"],
    ["an unknown decision", '{"decision":"ask"}'],
    ["a rewrite without arguments", '{"decision":"rewrite"}'],
    ["arguments that are no object", '{"decision":"rewrite","arguments":[1]}'],
    ["a number that JSON parsers alter", '{"decision":"rewrite","arguments":{"id":9007199254740993}}'],
  ])("with %s has failed", (_, text) => {
    expect(read(text).kind).toBe("failed");
  });

  test("may hold more than is known", () => {
    expect(read('{"decision":"allow","took":3}')).toEqual({ kind: "allow" });
    expect(read('{"decision":"rewrite","arguments":{"__proto__":1}}')).toEqual({
      kind: "rewrite",
      arguments: JSON.parse('{"__proto__":1}') as Record<string, unknown>,
    });
  });
});
