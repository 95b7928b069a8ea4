/** A server whose tools may be told a time zone, a time and an account: one reads, one is idempotent, one acts. */
import type { ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import type { CallOutcome } from "../../src/mcp/downstream/downstream.ts";
import { fakeServer, harness, memoryLog } from "../harness.ts";

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const definition = (name: string): ToolDefinition => ({
  name,
  description: "Tells what is on. The timezone is an IANA name. It needs an account_id.",
  inputSchema: {
    type: "object",
    properties: {
      day: { type: "string" },
      timezone: { type: "string" },
      now: { type: "string" },
      account_id: { type: "string" },
    },
  },
});
const CAPABILITIES = { look: "read", put: "idempotent", act: "mutating" } as const;
export const says = (words: string): CallOutcome => ({
  kind: "result",
  result: { content: [{ type: "text", text: words }], isError: true },
});
export const NO_ZONE = says("Required parameter 'timezone' is missing");

export async function world(log = memoryLog()) {
  const mail = fakeServer(["look", "put", "act"].map(definition));
  const parts = await harness({
    servers: { mail },
    policies: { mail: { capabilities: CAPABILITIES } },
    log,
    secrets: [{ name: "KEY", value: "hunter2-hunter2" }],
  });
  const ada = await parts.session("s_1");
  const answer = async (index: number, outcome: CallOutcome) => {
    mail.calls[index]?.answer(outcome);
    await parts.settle();
  };
  const sent = () => mail.calls.map(({ request }) => request.arguments);
  return { ...parts, ada, answer, sent };
}
export const texts = ({ content }: { content: { text: string }[] }) => content.map((block) => block.text);
