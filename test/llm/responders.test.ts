/** What a model is shown of a server's question, and what becomes of its answer. */
import { describe, expect, test } from "bun:test";
import type { ResponderAsk } from "../../src/llm/responders.ts";
import { serveChat } from "../fixtures/chat-endpoint.ts";
import { accept, CANARY, FENCE, field, linesOf, question, responders } from "./responder-fixture.ts";

async function answer(said: string, more: Partial<ResponderAsk> = {}) {
  using chat = serveChat(() => said);
  return await responders(chat).ask("llm", more);
}
describe("from arguments", () => {
  test("the low tier is shown the running call and the question behind a fence, and nothing else", async () => {
    using chat = serveChat(() => accept({ City: "Bern" }));
    expect(await responders(chat).ask("llm")).toEqual({ action: "accept", content: { City: "Bern" } });
    expect(chat.asked[0]).toMatchObject({ model: "low", rest: { max_tokens: 2000, stream: false } });
    expect(chat.asked[0]?.system).toContain(`two lines that read ${FENCE}`);
    expect(linesOf(chat)).toEqual([
      FENCE,
      "Running call: book of hotels",
      "Its tool: Books a room.",
      'Its arguments: {"city":"Bern","password":"[redacted]"}',
      "The server asks: Where to?",
      'Field "City" (required): {"type":"string","title":"Town"}',
      'Field "nights" (optional): {"type":"integer"}',
      FENCE,
      "Fill in the form, or decline.",
    ]);
  });

  test("of a call without arguments it is told so", async () => {
    using chat = serveChat(() => accept({ City: "Bern" }));
    await responders(chat).ask("llm", { calls: [{ server: "hotels", tool: "book", arguments: {} }] });
    expect(linesOf(chat)).toContain("Its arguments: (none)");
  });

  test.each([
    [1, false],
    [2, true],
  ])("of %d calls it is told whether nobody knows which one asks: %p", async (count, isAmbiguous) => {
    using chat = serveChat(() => accept({ City: "Bern" }));
    await responders(chat).ask("llm", { calls: Array(count).fill(question.calls[0]), session: undefined });
    expect(chat.asked[0]?.system.includes("nobody knows which one the question belongs to")).toBe(isAmbiguous);
    expect(linesOf(chat).filter((line) => line.startsWith("Running call"))).toHaveLength(count);
  });

  test.each<[string, string, object]>([
    ["prose around it", `Sure. I {think} so:\n\`\`\`json\n${accept({ City: "Bern" })}\n\`\`\``, { City: "Bern" }],
    ["braces in strings", accept({ City: 'B} {" ern' }), { City: 'B} {" ern' }],
    ["names in other letters", accept({ city: "Bern", NIGHTS: 2 }), { City: "Bern", nights: 2 }],
    ["fields that nobody asked for", accept({ City: "Bern", consent: true, toString: 1 }), { City: "Bern" }],
    ["fields that are null", accept({ City: "Bern", nights: null }), { City: "Bern" }],
  ])("an answer with %s is taken for what it is", async (_, said, content) => {
    expect(await answer(said)).toEqual({ action: "accept", content: content as Record<string, unknown> });
  });

  test.each([
    ["I accept.", "its answer is none"],
    ["[]", "its answer is none"],
    ['{"action":"accept"}', "its answer is none"],
    ['{"action":"accept","content":["Bern"]}', "its answer is none"],
    ['{"action":"ACCEPT","content":{"City":"Bern"}}', "its answer is none"],
    ['{"action":"cancel"}', "its answer is none"],
    ['{"note":{"action":"accept","content":{"City":"Bern"}}', "its answer is none"],
    [accept({}), "its answer says nothing"],
    [accept({ other: 1 }), "its answer says nothing"],
    [accept({ City: "[REDACTED secret #0123abcd]" }), "its answer holds a redacted value"],
    ['{"action":"decline"}', "it gave no reason"],
    [`{"action":"decline","reason":"not\\nknown ${CANARY}"}`, expect.stringMatching(/^not known \[REDACTED \S+ #\w+\]$/)],
    [JSON.stringify({ action: "decline", reason: "x".repeat(500) }), `${"x".repeat(199)}…`],
  ])("%s declines", async (said, reason) => {
    expect(await answer(said)).toEqual({ action: "decline", reason });
  });

  test("what a person has to answer is neither asked for nor taken", async () => {
    using chat = serveChat(() => accept({ City: "Bern", really: true, sure: "yes" }));
    const properties = { City: { type: "string" }, really: { type: "boolean" }, sure: { type: "string", enum: ["yes", "no"] } };
    const fields = [field("City"), field("really", { type: "boolean" }), field("sure", { type: "choice", decision: true })];
    const said = await responders(chat).ask("llm", { form: { type: "object", properties }, fields, withheld: ["really"] });
    expect(said).toEqual({ action: "accept", content: { City: "Bern" } });
    expect(chat.asked[0]?.user).not.toMatch(/really|sure/);
  });

  test.each<[string, Partial<ResponderAsk>]>([
    ["no field is left to it", { withheld: ["City", "nights"] }],
    ["the form is none", { form: null }],
    ["the form has no such fields", { form: { properties: { __proto__: null } }, fields: [field("toString")] }],
    ["no call is running", { calls: [] }],
    ["too many calls are running", { calls: Array.from({ length: 9 }, () => ({ server: "s", tool: "t", arguments: {} })) }],
    ["the form cannot be written down", { form: { properties: { City: 1n } } }],
  ])("it declines without asking when %s", async (_, more) => {
    using chat = serveChat(() => accept({ City: "Bern" }));
    expect(await responders(chat).ask("llm", more)).toMatchObject({ action: "decline" });
    expect(chat.asked).toEqual([]);
  });
});
