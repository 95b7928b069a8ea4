/** What is told beside an error about the arguments of a call that may act: what would help, and nothing that is not so. */
import { describe, expect, test } from "bun:test";
import { text } from "../harness.ts";
import { NO_ZONE, says, texts, world, zone } from "./missing-fixture.ts";

describe("a call that may act", () => {
  test("is executed once, and its error says what is missing and what it would be", async () => {
    const { ada, answer, sent, settle, types } = await world();
    const result = ada.call("mail__act", { day: "today" });
    await settle();
    await answer(0, NO_ZONE);
    const [said, note, ...more] = texts(await result);
    expect(said).toBe("Required parameter 'timezone' is missing");
    expect(note?.split("\n")).toEqual([
      'Note from toolcrib, not from the tool: The argument "timezone" is missing. Its schema: {"type":"string"}',
      "The tool's description says: The timezone is an IANA name.",
      `As far as toolcrib knows it would be "${zone}" here. Nothing was filled in: call again with it if it is right.`,
    ]);
    expect([more, sent(), types().includes("call.repeated")]).toEqual([[], [{ day: "today" }], false]);
  });

  test("is shown earlier calls of its session that lead to the value, redacted, and none that failed", async () => {
    const { ada, answer, settle } = await world();
    for (const [index, [args, outcome]] of (
      [
        [{ account_id: "hunter2-hunter2" }, text("ok")],
        [{ account_id: "b" }, says("no")],
        [{ day: "x" }, text("ok")],
      ] as const
    ).entries()) {
      const earlier = ada.call("mail__look", args);
      await settle();
      await answer(index, outcome);
      await earlier;
    }
    const result = ada.call("mail__act");
    await settle();
    await answer(3, says("account_id: must be provided"));
    const note = texts(await result)[1] ?? "";
    expect(note).toContain('- mail__look {"account_id":"[REDACTED ');
    expect(note.match(/^- /gm)).toHaveLength(1);
    expect(note).not.toContain("hunter2");
  });

  test("that was refused by a JSON-RPC error carries the same words in its error", async () => {
    const { ada, answer, settle } = await world();
    const result = ada.call("mail__act");
    await settle();
    await answer(0, { kind: "rpc_error", code: -32602, message: "'account_id' is required" });
    const told = await result;
    expect(told.structuredContent?.error).toMatchObject({ code: "invalid_arguments", certainty: "not_applied" });
    expect(texts(told)[0]).toContain("The server says: 'account_id' is required\nNote from toolcrib, not from the tool: The argument");
  });

  test("is told what is wrong with its arguments, never with a value of them", async () => {
    const { ada, answer, settle } = await world();
    const result = ada.call("mail__act", { day: "7", dayy: "hunter2-hunter2" });
    await settle();
    await answer(0, says("boom"));
    const [said, note = ""] = texts(await result);
    expect(said).toBe("boom");
    expect(note).toContain('it has "dayy", which the tool does not declare');
    expect(note).not.toContain("REDACTED");
    expect(note).not.toContain("hunter2");
  });

  test("whose tool only failed is answered with the tool's own words alone", async () => {
    const { ada, answer, settle } = await world();
    const result = ada.call("mail__act", { day: "today" });
    await settle();
    await answer(0, says("the mailbox is full"));
    expect(texts(await result)).toEqual(["the mailbox is full"]);
  });
});
