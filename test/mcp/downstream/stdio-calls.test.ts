/** Calls to a server over stdio, against the fixture as a real child process. */
import { afterEach, describe, expect, test } from "bun:test";
import type { Progress } from "../../../src/mcp/downstream/downstream.ts";
import { closeAll, fixture, manualClock, open, textOf, until } from "./support.ts";

afterEach(closeAll);

const call = (tool: string, args: Record<string, unknown> = {}) => ({ tool, arguments: args });

describe.each(["legacy", "modern"])("a %s server", (era) => {
  const target = (env: Record<string, string> = {}) => fixture({ FIXTURE_ERA: era, ...env });

  test("is introduced, lists its tools and answers calls", async () => {
    const { downstream } = await open(target());
    expect(downstream.introduction).toMatchObject({
      era,
      transport: "stdio",
      instructions: `${era} fixture`,
      serverInfo: { name: "fixture" },
    });
    expect(downstream.introduction.protocolVersion).toBe(era === "modern" ? "2026-07-28" : "2025-11-25");
    expect((await downstream.listTools()).map(({ name }) => name)).toContain("echo");
    expect(textOf(await downstream.call(call("echo", { text: "grüß\u2028 dich" })))).toBe("grüß\u2028 dich");
  });

  test("gets the caller's meta, and the envelope only when it is modern", async () => {
    const { downstream } = await open(target());
    const forged = { traceparent: "00-1", "io.modelcontextprotocol/protocolVersion": "1999" };
    const outcome = await downstream.call({ ...call("echo"), meta: era === "modern" ? forged : { traceparent: "00-1" } });
    const meta = outcome.kind === "result" ? outcome.result["structuredContent"] : undefined;
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    expect(meta).toEqual({ meta: { traceparent: "00-1", ...(era === "modern" ? envelope : {}) } });
  });

  test("loses no progress that comes in one write with the result", async () => {
    const { downstream } = await open(target());
    const seen: Progress[] = [];
    expect(textOf(await downstream.call({ ...call("progress", { steps: 50 }), onProgress: (progress) => seen.push(progress) }))).toBe(
      "done",
    );
    expect(seen.map(({ progress }) => progress)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(seen[0]).toEqual({ progress: 1, total: 50, message: "step 1" });
  });

  test("tells of a changed list once in half a second", async () => {
    const clock = manualClock();
    const { downstream, changes } = await open(target(), { schedule: clock.schedule });
    await downstream.call(call("change", { times: 20 }));
    await until(() => clock.waiting().includes(500));
    expect(clock.waiting().filter((ms) => ms === 500)).toEqual([500]);
    expect(changes()).toBe(0);
    clock.fire();
    expect(changes()).toBe(1);
    await downstream.call(call("change"));
    await until(() => clock.waiting().includes(500));
    clock.fire();
    expect(changes()).toBe(2);
  });
});

test("equal calls at the same time each get their own answer and progress", async () => {
  const { downstream } = await open(fixture());
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => downstream.call(call("echo", { text: String(i) }))));
  expect(answers.map(textOf)).toEqual(Array.from({ length: 200 }, (_, i) => String(i)));
  const seen: number[][] = [[], []];
  await Promise.all(
    seen.map((mine, i) => downstream.call({ ...call("progress", { steps: i + 2 }), onProgress: (p) => mine.push(p.total ?? 0) })),
  );
  expect(seen).toEqual([
    [2, 2],
    [3, 3, 3],
  ]);
});

test("junk on stdout is skipped, with one warning, and costs nothing else", async () => {
  const { downstream, warnings } = await open(fixture());
  expect(textOf(await downstream.call(call("junk")))).toBe("after junk \u2028 still one line");
  expect(textOf(await downstream.call(call("junk")))).toStartWith("after junk");
  expect(warnings).toHaveLength(1);
});

test.each(["0", "1"])("an oversized answer fails its call alone (id first: %s)", async (first) => {
  const { downstream, warnings, closed } = await open(fixture({ FIXTURE_ID_FIRST: first }), { maxMessageBytes: 100_000 });
  const [big, small] = await Promise.all([
    downstream.call(call("big", { bytes: 5_000_000 })),
    downstream.call(call("echo", { text: "alive" })),
  ]);
  expect(big).toMatchObject({ kind: "lost", reason: expect.stringContaining("above the limit of 100000") });
  expect(textOf(small)).toBe("alive");
  expect(textOf(await downstream.call(call("big", { bytes: 50_000 })))).toHaveLength(50_000);
  expect(warnings).toHaveLength(1);
  expect(closed).toEqual([]);
});

test("a message of 64 MiB passes when the limit allows it", async () => {
  const bytes = 64 * 1024 * 1024;
  const { downstream } = await open(fixture(), { maxMessageBytes: 2 * bytes });
  expect(textOf(await downstream.call(call("big", { bytes })))).toHaveLength(bytes);
}, 20_000);

test("a gigabyte on stderr neither blocks the child nor is kept", async () => {
  const { downstream } = await open(fixture());
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  expect(textOf(await downstream.call(call("flood", { bytes: 1024 ** 3 })))).toBe("flooded");
  await until(() => downstream.stderr().at(-1) === "last words");
  expect(downstream.stderr().length).toBeLessThanOrEqual(200);
  Bun.gc(true);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
}, 60_000);

test("an error of the server is passed on as it is", async () => {
  const { downstream } = await open(fixture());
  expect(await downstream.call(call("fail"))).toEqual({ kind: "rpc_error", code: -32050, message: "no luck", data: { why: "asked for" } });
});

test("a result that breaks its own outputSchema is passed on", async () => {
  const { downstream } = await open(fixture());
  await downstream.listTools();
  expect(await downstream.call(call("bad_output"))).toMatchObject({ kind: "result", result: { structuredContent: { n: "not a number" } } });
});

test.each([
  ["ask", "asks a question instead of answering"],
  ["task", "starts a task instead of answering"],
  ["odd", "of a kind that is not known here"],
])("an answer of a kind that was not announced is an error (%s)", async (tool, message) => {
  const { downstream } = await open(fixture({ FIXTURE_ERA: "modern" }), { elicitation: true, tasks: true });
  expect(await downstream.call(call(tool))).toMatchObject({ kind: "rpc_error", code: -32603, message: expect.stringContaining(message) });
});

test("a ping of the server is answered, what we do not offer is refused", async () => {
  const { downstream } = await open(fixture());
  expect(textOf(await downstream.call(call("ask_client", { method: "ping" })))).toBe("{}");
  for (const method of ["sampling/createMessage", "elicitation/create", "roots/list"]) {
    expect(textOf(await downstream.call(call("ask_client", { method })))).toContain('"code":-32601');
  }
});

describe("cancelling", () => {
  test("tells the server, and the late answer still counts", async () => {
    const { downstream } = await open(fixture());
    const abort = new AbortController();
    const answer = downstream.call({ ...call("sleep", { ms: 300 }), signal: abort.signal });
    await downstream.call(call("echo"));
    abort.abort("not needed");
    await until(() => downstream.stderr().some((line) => line.startsWith("cancelled")));
    expect(downstream.stderr().join()).toMatch(/cancelled \{"requestId":1\d{9},"reason":"not needed"\}/);
    expect(textOf(await answer)).toBe("slept");
  });

  test("before it was sent sends nothing", async () => {
    const { downstream } = await open(fixture());
    expect(await downstream.call({ ...call("echo"), signal: AbortSignal.abort() })).toMatchObject({ kind: "not_sent" });
  });

  test("calls that are never answered does not gather them without end", async () => {
    const { downstream } = await open(fixture());
    const outcomes: string[] = [];
    for (let i = 0; i < 300; i++) {
      const abort = new AbortController();
      void downstream.call({ ...call("hang"), signal: abort.signal }).then((outcome) => outcomes.push(outcome.kind));
      abort.abort();
    }
    await downstream.call(call("echo"));
    expect(outcomes).toEqual(Array.from({ length: 300 - 256 }, () => "lost"));
  });
});

test("a looping cursor fails the list, and the connection lives on", async () => {
  const { downstream } = await open(fixture({ FIXTURE_LOOP: "1" }));
  await expect(downstream.listTools()).rejects.toThrow("the same nextCursor twice");
  expect(textOf(await downstream.call(call("echo", { text: "on" })))).toBe("on");
});

test("every page is read, and entries that are no tools are left out", async () => {
  const paged = await open(fixture({ FIXTURE_PAGES: "5" }));
  expect(await paged.downstream.listTools()).toHaveLength(5);
  const bad = await open(fixture({ FIXTURE_BAD_TOOLS: "1" }));
  expect((await bad.downstream.listTools()).map(({ name }) => name)).toContain("echo");
  expect(bad.warnings).toHaveLength(3);
});
