/** Calls that leave out what the server's own schema requires are refused before anything is sent. */
import { describe, expect, test } from "bun:test";
import type { ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import { fakeServer, harness, text } from "../harness.ts";

const requiring = (schema: Record<string, unknown>): ToolDefinition => ({ name: "act", inputSchema: { type: "object", ...schema } });
const SEND = { properties: { to: { type: "string" }, body: {}, page: { default: 1 } }, required: ["to", "body", "page"] };

async function asked(schema: Record<string, unknown>, args: Record<string, unknown>, name = "mail__act") {
  const mail = fakeServer([requiring(schema)]);
  const { session, settle, log } = await harness({ servers: { mail }, secrets: [{ name: "KEY", value: "hunter2-hunter2" }] });
  const result = (await session("s_1")).call(name, args);
  await settle();
  mail.calls[0]?.answer(text("done"));
  const { content, structuredContent } = await result;
  return { said: content[0]?.text ?? "", error: structuredContent?.error, sent: mail.calls.length, log };
}

describe("a call is refused and not sent", () => {
  test("when keys are missing, which are named with the schema", async () => {
    const { said, error, sent, log } = await asked(SEND, { body: "hi" });
    expect([sent, error]).toMatchObject([0, { code: "invalid_arguments", certainty: "not_applied", retryable: false }]);
    expect(said).toContain('mail__act needs "to", and the call has "body"; nothing was sent');
    expect(said).toContain(`Its parameters: ${JSON.stringify({ type: "object", ...SEND })}`);
    expect(log.page({ after: 0, limit: 100, type: "call.refused" }).map(({ data }) => data)).toMatchObject([{ rule: "required-keys" }]);
  });

  test("when it comes through mcp_invoke_tool", async () => {
    const { said, sent } = await asked(SEND, { server_name: "mail", tool_name: "act", arguments: { to: "a" } }, "mcp_invoke_tool");
    expect([sent, said.includes('needs "body"')]).toEqual([0, true]);
  });

  test("in bounded words, without secrets, however large schema and arguments are", async () => {
    const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`p${n}`, { type: "string", title: "x".repeat(90) }]));
    const args = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`hunter2-hunter2 ${n} ${"k".repeat(90)}`, 1]));
    const { said, sent } = await asked({ properties, required: Object.keys(properties) }, args);
    expect(sent).toBe(0);
    expect(said.length).toBeLessThan(9000);
    expect(said).toContain("and 2980 more");
    expect(said).not.toContain("hunter2");
  });
});

describe("a call is sent", () => {
  test.each([
    ["with every required key", SEND, { to: "a", body: "b" }],
    ["with null for a required key of any type", SEND, { to: "a", body: null }],
    ["with a key that the schema does not know", SEND, { to: "a", body: "b", cc: "c" }],
    ["when nothing is required", {}, {}],
    ["when `required` is no list", { required: "to" }, {}],
    ["when `required` holds no names", { required: [7] }, {}],
    [
      "when a nested object requires what has a default",
      { properties: { a: { required: ["b"], properties: { b: { default: 1 } } } } },
      { a: {} },
    ],
  ])("%s", async (_, schema, args) => {
    expect((await asked(schema, args)).sent).toBe(1);
  });
});

describe("what else the schema says is judged as well: a call is refused", () => {
  test.each([
    ["with a type that it does not allow", SEND, { to: 1, body: 2 }],
    ["with null where a text has to be", SEND, { to: null, body: null }],
    ["when only a part of the schema requires a key", { anyOf: [{ required: ["to"] }, { required: ["id"] }] }, {}],
    ["when a nested object requires it", { properties: { a: { type: "object", required: ["b"] } } }, { a: {} }],
  ])("%s", async (_, schema, args) => {
    const { sent, error } = await asked(schema, args);
    expect([sent, error]).toMatchObject([0, { code: "invalid_arguments", certainty: "not_applied" }]);
  });
});
