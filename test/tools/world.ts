/** A mail server with prompts and resources, for the tests of the management tools. */
import type { Downstream } from "../../src/mcp/downstream/downstream.ts";
import { fakeServer, harness, tool } from "../harness.ts";

export const schema = { type: "object", properties: { to: { type: "string", description: "An address" } }, required: ["to"] };
const sendMail = { ...tool("send_mail"), description: "Sends a letter", inputSchema: schema };
const letter = { name: "letter", description: "Writes a letter", arguments: [{ name: "to", required: true }, { name: "tone" }] };
export const inbox = { uri: "mail://inbox", name: "inbox", mimeType: "text/plain" };
export const message = { uriTemplate: "mail://message/{id}", name: "message" };
const introduction = {
  era: "legacy",
  protocolVersion: "2025-11-25",
  transport: "stdio",
  serverInfo: { name: "fake-mail", version: "2", title: "Mail" },
  instructions: "Be polite.",
  capabilities: {},
} as const;

export async function world(request: Downstream["request"] = async () => ({ kind: "rpc_error", code: -32002, message: "gone" })) {
  const mail = fakeServer([sendMail, tool("list")], {
    introduction,
    listPrompts: async () => [letter],
    listResources: async () => ({ resources: [inbox], templates: [message] }),
    request,
  });
  const made = await harness({ servers: { mail } });
  await made.settle();
  const session = await made.session("s_1");
  const ask = async (name: string, args: Record<string, unknown> = {}) => {
    const asked = session.call(name, args);
    await made.settle();
    return asked;
  };
  return { ...made, mail, ask };
}
export const documentOf = ({ content }: { content: { text: string }[] }): unknown => JSON.parse(content[0]?.text ?? "");
