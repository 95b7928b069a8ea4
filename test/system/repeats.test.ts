/** A tool that misses an argument: repeated with what we know, where that can do no harm. */
import { describe, expect, test } from "bun:test";
import { verifyDeep } from "../../src/audit/deep.ts";
import { memoryLog, text } from "../harness.ts";
import { NO_ZONE, says, texts, world, zone } from "./missing-fixture.ts";

describe("a read", () => {
  test("is repeated with the host's time zone, silently, and the log shows both legs", async () => {
    const { ada, answer, sent, settle, log, types } = await world();
    const result = ada.call("mail__look", { day: "today" });
    await settle();
    await answer(0, NO_ZONE);
    await answer(1, text("nothing is on"));
    expect(await result).toEqual({ content: [{ type: "text", text: "nothing is on" }] });
    expect(sent()).toEqual([{ day: "today" }, { day: "today", timezone: zone }]);
    const told = ["call.requested", "call.dispatched", "call.repeated", "call.settled", "call.answered"];
    expect(types().filter((type) => type.startsWith("call."))).toEqual(told);
    const [repeated] = log.page({ after: 0, limit: 100, type: "call.repeated" });
    expect(repeated?.data).toMatchObject({ leg: 2, field: "timezone", source: "time_zone", value: zone, capability: "read" });
    expect(repeated?.payload).toEqual({ content: [{ type: "text", text: "Required parameter 'timezone' is missing" }], isError: true });
    expect(verifyDeep(log, "test").mismatches).toEqual([]);
  });

  test("is repeated for an error inside of a success, and for a JSON-RPC error", async () => {
    const { ada, answer, sent, settle } = await world();
    const soft = ada.call("mail__look");
    await settle();
    await answer(0, text(`{"error":"'timezone' is required"}`));
    await answer(1, text("soft"));
    const hard = ada.call("mail__look");
    await settle();
    await answer(2, { kind: "rpc_error", code: -32602, message: "missing required argument 'timezone'" });
    await answer(3, text("hard"));
    expect([texts(await soft), texts(await hard)]).toEqual([["soft"], ["hard"]]);
    expect(sent()).toHaveLength(4);
  });

  test("is repeated once for each argument, with the time of the turn", async () => {
    const { ada, answer, sent, settle, clock } = await world();
    const result = ada.call("mail__look");
    await settle();
    await clock.advance(3000);
    await answer(0, NO_ZONE);
    await answer(1, says("'now' is required"));
    await answer(2, says("'account_id' is required"));
    const [said, note] = texts(await result);
    const { now, ...others } = sent()[2] ?? {};
    expect(others).toEqual({ timezone: zone });
    expect(now).toMatch(/T\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
    expect(Date.parse(String(now))).toBe(Math.floor(clock.now() / 1000) * 1000);
    expect(said).toBe("'account_id' is required");
    expect(note).toContain(`called it again with "timezone": "${zone}", "now": "`);
    expect(note).toContain('The argument "account_id" is missing');
  });

  test("that misses the same argument again is told what was tried", async () => {
    const { ada, answer, sent, settle } = await world();
    const result = ada.call("mail__look");
    await settle();
    await answer(0, NO_ZONE);
    await answer(1, NO_ZONE);
    expect(sent()).toHaveLength(2);
    expect(texts(await result)).toEqual([
      "Required parameter 'timezone' is missing",
      `Note from toolcrib, not from the tool: The tool had missed something, so toolcrib called it again with "timezone": "${zone}"; this is its answer to that.`,
    ]);
  });

  test("keeps its own deadline, and a leg that is late has no words of the one before", async () => {
    const { ada, answer, settle, clock } = await world();
    const result = ada.call("mail__look");
    await settle();
    await clock.advance(30_000);
    await answer(0, NO_ZONE);
    await clock.advance(24_999);
    await clock.advance(1);
    const told = await result;
    expect(told.structuredContent?.error).toMatchObject({ code: "timeout", certainty: "not_applied" });
    expect(texts(told).join()).not.toContain("timezone");
  });

  test("is not repeated when its client has left", async () => {
    const { ada, answer, sent, settle } = await world();
    const client = new AbortController();
    void ada.call("mail__look", {}, { signal: client.signal });
    await settle();
    client.abort("disconnected");
    await settle();
    await answer(0, NO_ZONE);
    expect(sent()).toHaveLength(1);
  });

  test("whose argument was given, or is none of the tool's, is left alone", async () => {
    const { ada, answer, sent, settle } = await world();
    const given = ada.call("mail__look", { timezone: "Mars/Base" });
    await settle();
    await answer(0, NO_ZONE);
    const other = ada.call("mail__look");
    await settle();
    await answer(1, says("'tz' is required, authentication is required"));
    expect(texts(await given)).toEqual(["Required parameter 'timezone' is missing"]);
    expect(texts(await other)).toEqual(["'tz' is required, authentication is required"]);
    expect(sent()).toHaveLength(2);
  });
});

describe("an idempotent call", () => {
  test("is repeated; cut off in its second leg by our end it is in doubt, and not sent again", async () => {
    const log = memoryLog();
    const first = await world(log);
    void first.ada.call("mail__put", { day: "today" });
    void first.ada.call("mail__look", { day: "today" });
    await first.settle();
    await first.answer(0, NO_ZONE);
    await first.answer(1, NO_ZONE);
    expect(first.sent()).toHaveLength(4);
    const second = await world(log);
    expect(second.sent()).toEqual([]);
    expect(second.views.doubts("ada")).toMatchObject([{ tool: "put", code: "in_doubt" }]);
    expect(verifyDeep(log, "test").mismatches).toEqual([]);
  });

  test.each([
    ["could not be sent", { kind: "not_sent", reason: "refused" }, "nothing was sent"],
    ["was refused", { kind: "rpc_error", code: -32602, message: "no" }, "the server does not accept them"],
  ] as const)("whose second leg %s stays at the answer of its first: that leg had reached the server", async (_, outcome, why) => {
    const { ada, answer, settle, views } = await world();
    const result = ada.ask("mail__put");
    await settle();
    await answer(0, NO_ZONE);
    await answer(1, outcome);
    const end = await result;
    expect(end).toMatchObject({ certainty: "answered", result: { isError: true } });
    expect(texts(end.result as never)).toEqual([
      "Required parameter 'timezone' is missing",
      expect.stringContaining(`called it again with "timezone": "${zone}", but nothing came of it: ${why}.`),
    ]);
    expect(views.call(end.call)).toMatchObject({ certainty: "answered", code: null });
  });

  test("whose second leg did nothing and may not be followed by a third stays at the answer of its first", async () => {
    const { ada, answer, settle, configure } = await world();
    const result = ada.ask("mail__put");
    await settle();
    await answer(0, NO_ZONE);
    await configure({ mail: { deniedTools: ["put"] } }, "d2");
    await answer(1, { kind: "rpc_error", code: -32602, message: "missing required argument 'now'" });
    expect(await result).toMatchObject({ certainty: "answered", result: { isError: true } });
  });
});
