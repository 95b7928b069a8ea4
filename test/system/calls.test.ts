/** What a call is, through the front door: two commits, one end, and what the agent is told. */
import { describe, expect, test } from "bun:test";
import { fakeServer, harness, text } from "../harness.ts";

const firstText = (result: { content: { text: string }[] }) => result.content[0]?.text ?? "";

describe("a call", () => {
  test("is four events in two commits: everything before the effect, everything after", async () => {
    const mail = fakeServer();
    const { session, log, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const before = log.head;
    const end = ada.ask("mail__act", { to: "grace" });
    await settle();
    const sent = log.page({ after: before.position, limit: 10 });
    expect(sent.map(({ type, turn }) => [type, turn - before.turn])).toEqual([
      ["call.requested", 1],
      ["call.dispatched", 1],
    ]);
    expect(mail.calls.map(({ request }) => [request.tool, request.arguments])).toEqual([["act", { to: "grace" }]]);
    mail.calls[0]?.answer(text("done"));
    expect(await end).toMatchObject({ certainty: "answered", result: { content: [{ text: "done" }] } });
    expect(log.page({ after: sent.at(-1)?.position ?? 0, limit: 10 }).map(({ type, turn }) => [type, turn - before.turn])).toEqual([
      ["call.settled", 2],
      ["call.answered", 2],
    ]);
  });

  test("of an unknown tool is refused in the log, too", async () => {
    const { session, types } = await harness();
    const result = await (await session("s_1")).call("mail__burn");
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "tool_not_found", certainty: "not_applied", retryable: false } },
    });
    expect(types("session/s_1")).toEqual(["session.opened", "call.refused"]);
  });

  test.each([
    ["a JSON-RPC error", { kind: "rpc_error", code: -32000, message: "no such mailbox" }, "answered", undefined, false],
    ["an unknown method", { kind: "rpc_error", code: -32601, message: "?" }, "not_applied", "tool_not_found", false],
    ["invalid parameters", { kind: "rpc_error", code: -32602, message: "to is missing" }, "not_applied", "invalid_arguments", false],
    ["a refused connection", { kind: "not_sent", reason: "refused" }, "not_applied", "not_connected", true],
    ["HTTP 404", { kind: "not_sent", reason: "", status: 404 }, "not_applied", "execution_failed", true],
    ["HTTP 401", { kind: "not_sent", reason: "", status: 401 }, "not_applied", "auth_required", false],
    ["a reset", { kind: "lost", reason: "reset" }, "in_doubt", "execution_failed", false],
    ["HTTP 503", { kind: "lost", reason: "", status: 503 }, "in_doubt", "execution_failed", false],
  ] as const)("that ends with %s", async (_, outcome, certainty, code, retryable) => {
    const mail = fakeServer();
    const { session, settle, views } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const result = ada.call("mail__act");
    await settle();
    mail.calls[0]?.answer(outcome);
    const told = await result;
    expect(told.isError).toBe(true);
    const [row] = views.openCalls("s_1");
    expect(row).toBeUndefined();
    if (code === undefined) expect(firstText(told)).toBe("no such mailbox");
    else expect(told.structuredContent?.error).toMatchObject({ code, certainty, retryable });
  });

  test("that only reads and is cut off did nothing", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail }, policies: { mail: { capabilities: { look: "read" } } } });
    const result = (await session("s_1")).call("mail__look");
    await settle();
    mail.calls[0]?.answer({ kind: "lost", reason: "reset" });
    expect((await result).structuredContent?.error).toMatchObject({ code: "execution_failed", certainty: "not_applied", retryable: true });
  });

  test("through mcp_invoke_tool is one call of its target", async () => {
    const mail = fakeServer();
    const { session, settle, log } = await harness({ servers: { mail } });
    const result = (await session("s_1")).call("mcp_invoke_tool", { server_name: "MAIL", tool_name: "Act", params: { to: "grace" } });
    await settle();
    expect(mail.calls[0]?.request).toMatchObject({ tool: "act", arguments: { to: "grace" } });
    mail.calls[0]?.answer(text("done"));
    expect(firstText(await result)).toBe("done");
    const requested = log.page({ after: 0, limit: 100, type: "call.requested" });
    expect(requested.map(({ data }) => data)).toMatchObject([
      { name: "mail__act", server: "mail", via: "invoke_tool", capability: "mutating" },
    ]);
  });

  test.each([
    [{ server_name: "post", tool_name: "act" }, "the servers are: mail"],
    [{ server_name: "mail", tool_name: "burn" }, "its tools are: act, look"],
    [{ server_name: "mail", tool_name: "act", arguments: "[1]" }, "must be an object"],
    [{ tool_name: "act" }, "server_name"],
  ])("through mcp_invoke_tool with %p says what to do", async (args, hint) => {
    const { session } = await harness({ servers: { mail: fakeServer() } });
    const result = await (await session("s_1")).call("mcp_invoke_tool", args);
    expect(result.isError).toBe(true);
    expect(firstText(result)).toContain(hint);
  });

  test.each([
    ["numbers", '{"id":9007199254740993}', "the number 9007199254740993, which parsing alters"],
    ["depth", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`, "nested deeper than 64 levels"],
    ["width", `{"a":[${"1,".repeat(20_000)}1]}`, "more than 10,000 elements"],
  ])("the %s of arguments that come as a text are bounded like any", async (_, written, hint) => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const result = await (await session("s_1")).call("mcp_invoke_tool", { server_name: "mail", tool_name: "act", arguments: written });
    expect(firstText(result)).toContain(hint);
    await settle();
    expect(mail.calls).toEqual([]);
  });

  test("takes arguments wrapped in any of the ways that models use", async () => {
    const mail = fakeServer();
    const { session, settle } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const target = { server_name: "mail", tool_name: "act" };
    for (const wrapped of [{ arguments: { a: 1 } }, { params: { a: 1 } }, { args: { a: 1 } }, { a: 1 }, { arguments: '{"a":1}' }])
      void ada.call("mcp_invoke_tool", { ...target, ...wrapped });
    await settle();
    expect(mail.calls.map(({ request }) => request.arguments)).toEqual(Array.from({ length: 5 }, () => ({ a: 1 })));
  });
});

describe("time", () => {
  test("at its deadline a mutating call is in doubt, and a late answer resolves it and is announced once", async () => {
    const mail = fakeServer();
    const { session, clock, settle, views } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const result = ada.call("mail__act", { to: "grace" });
    await settle();
    await clock.advance(55_000);
    expect((await result).structuredContent?.error).toMatchObject({ code: "timeout", certainty: "in_doubt", retryable: false });
    expect(views.doubts("ada")).toHaveLength(1);
    mail.calls[0]?.answer(text("sent after all"));
    await settle();
    expect(views.doubts("ada")).toEqual([]);
    const next = await ada.call("call_status");
    expect(next.content.map((block) => block.text)).toEqual([
      expect.stringContaining("sent after all"),
      "Nothing is open and nothing is in doubt.",
    ]);
    expect((await ada.call("call_status")).content).toHaveLength(1);
  });

  test("a read that is late can be called again", async () => {
    const mail = fakeServer();
    const { session, clock, settle } = await harness({ servers: { mail }, policies: { mail: { capabilities: { "*": "read" } } } });
    const result = (await session("s_1")).call("mail__look");
    await settle();
    await clock.advance(55_000);
    expect((await result).structuredContent?.error).toMatchObject({ code: "timeout", certainty: "not_applied", retryable: true });
  });

  test.each([
    ["by default", {}, {}, 55_000],
    ["with a progress token", {}, { onProgress: () => undefined }, 60_000],
    ["when the request says so", {}, { timeoutMs: 5_000 }, 5_000],
    ["when the server entry says so, which wins", { toolTimeoutMs: 7_000 }, { timeoutMs: 5_000 }, 7_000],
    ["but never beyond the cap", {}, { timeoutMs: 9_000_000 }, 900_000],
  ])("the deadline %s", async (_, policy, more, ms) => {
    const mail = fakeServer();
    const { session, clock, settle, log } = await harness({ servers: { mail }, policies: { mail: policy } });
    void (await session("s_1")).call("mail__act", {}, more);
    await settle();
    const [dispatched] = log.page({ after: 0, limit: 100, type: "call.dispatched" });
    expect(dispatched?.data).toMatchObject({ deadline: clock.now() + ms });
  });
});
