/**
 * The client that the conformance runner starts: `bun test/conformance/client.ts <url>`. It does with our own `connect` what the scenario in
 * MCP_CONFORMANCE_SCENARIO waits for: list the tools and call them, with arguments from MCP_CONFORMANCE_CONTEXT or made from their schemas. What a
 * server asks is answered as by somebody who sends each form as it is proposed.
 */
import { readForm } from "../../actors/elicit/form.ts";
import { connect } from "../../src/mcp/downstream/connect.ts";
import type { ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import type { CallReply, CallRequest, InputRequest, InputResponse } from "../../src/mcp/downstream/downstream.ts";
import { completed } from "../../src/questions/answers.ts";
import { authorizationFor, type Given, withLogin } from "./client-auth.ts";

interface PlannedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const url = process.argv.at(-1);
if (url === undefined || !url.startsWith("http")) throw new Error("usage: bun test/conformance/client.ts <url>");
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Given & { readonly toolCalls?: readonly PlannedCall[] };
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const auth = scenario.startsWith("auth/") ? await authorizationFor(scenario, url, context) : undefined;

const target = { kind: "http", url, mode: "auto", headers: {} } as const;
const connecting = () =>
  connect(target, {
    ...(auth && { authorization: auth.authorization }),
    clientInfo: { name: "toolcrib-conformance", version: "1.0.0" },
    events: {
      onQuestion: async ({ request }) => answerTo(request),
      onClosed: (reason) => console.error(`closed: ${reason}`),
      onToolsChanged: () => undefined,
      onPromptsChanged: () => undefined,
      onResourcesChanged: () => undefined,
      onResourceUpdated: () => undefined,
    },
    elicitation: true,
    connectTimeoutMs: 10_000,
    environment: {},
    marker: "conformance",
    onWarning: (text) => console.error(text),
  });
const connected = async () => {
  const made = await connecting();
  return { downstream: made, tools: await made.listTools() };
};
const { downstream, tools } = await (auth ? withLogin(auth.logIn, connected) : connected());
const planned = context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: sampleArguments(tool, tools[0]?.inputSchema) }));
for (const call of planned) {
  const request: CallRequest = { tool: call.name, arguments: call.arguments, accepts: { questions: true } };
  let outcome = await settled(request);
  if (auth && outcome.kind === "not_sent" && outcome.authorization) {
    await auth.logIn();
    outcome = await settled(request);
  }
  console.error(call.name, JSON.stringify(outcome).slice(0, 500));
}
await downstream.close();

/** Leg by leg, until the server asks nothing more. */
async function settled(request: CallRequest): Promise<CallReply> {
  const reply = await downstream.call(request);
  if (reply.kind !== "input_required") return reply;
  const { requests, requestState } = reply;
  const inputResponses = Object.fromEntries(Object.entries(requests).map(([key, asked]) => [key, answerTo(asked)]));
  const { requestState: _, ...same } = request;
  return settled({ ...same, inputResponses, ...(requestState !== undefined && { requestState }) });
}

/** Checked by our own rules: what does not fit the form is declined. */
function answerTo(request: InputRequest): InputResponse {
  const { fields } = readForm(request.params);
  const { requestedSchema } = request.params as {
    readonly requestedSchema?: { readonly properties?: Record<string, { default?: unknown }> };
  };
  const content = Object.fromEntries(
    fields.map(({ name, type }) => [name, requestedSchema?.properties?.[name]?.default ?? sample(type, undefined)]),
  );
  return completed("form", "client", request, content, { defaults: {} }).response;
}

/** Something of the right type for every required property; an object is the schema that the server listed first, for the scenario that wants it back. */
function sampleArguments(tool: ToolDefinition, listed: unknown): Record<string, unknown> {
  const { properties, required } = tool.inputSchema;
  const samples: Record<string, unknown> = {};
  if (typeof properties !== "object" || properties === null) return samples;
  for (const [name, schema] of Object.entries(properties) as [string, { readonly type?: string }][]) {
    if (Array.isArray(required) && required.includes(name)) samples[name] = sample(schema.type, listed);
  }
  return samples;
}

function sample(type: string | undefined, listed: unknown): unknown {
  if (type === "number" || type === "integer") return 2;
  if (type === "boolean") return true;
  return type === "object" ? listed : "sample";
}
