/** The tools of the conformance suite that talk back to the client while they run, or end in a question. They go through the SDK. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type InputRequests,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolCall, ToolResult } from "../../src/mcp/upstream/backend.ts";
import { define, text } from "./plain-tools.ts";

export type AskingTool = (call: ToolCall, sdk: ServerContext) => Promise<ToolResult>;

const string = { type: "string" } as const;
const codec = createRequestStateCodec<{ readonly step: string }>({ key: new Uint8Array(32).fill(7), ttlSeconds: 600 });

type FormSchema = ElicitRequestFormParams["requestedSchema"];

function form(message: string, properties: FormSchema["properties"]): ElicitRequestFormParams {
  return { mode: "form", message, requestedSchema: { type: "object", properties, required: Object.keys(properties) } };
}

/** Asks the client in the middle of the call (legacy only). */
async function elicit(sdk: ServerContext, params: ElicitRequestFormParams, label: string): Promise<ToolResult> {
  const { action, content } = await sdk.mcpReq.elicitInput(params);
  return text(`${label}: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

/** The state a round before left; -32602 when it is not ours. */
async function verified(call: ToolCall, sdk: ServerContext): Promise<string | undefined> {
  if (call.requestState === undefined) return undefined;
  try {
    return (await codec.verify(call.requestState, sdk)).step;
  } catch {
    throw new ProtocolError(-32602, "Invalid or expired requestState");
  }
}

async function ask(inputRequests: InputRequests, step?: string): Promise<ToolResult> {
  return { ...inputRequired({ inputRequests, ...(step !== undefined && { requestState: await codec.mint({ step }) }) }) };
}

/** What an accepted form holds under `field`; undefined for every other answer. */
export function accepted(responses: ToolCall["inputResponses"], key: string, field: string): unknown {
  const answer: unknown = responses?.[key];
  if (typeof answer !== "object" || answer === null || !("content" in answer)) return undefined;
  const { content } = answer;
  return typeof content === "object" && content !== null ? new Map(Object.entries(content)).get(field) : undefined;
}

export const nameQuestion = inputRequired.elicit(form("What is your name?", { name: string }));
const capitalQuestion = inputRequired.createMessage({
  messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
  maxTokens: 100,
});
const confirmQuestion = inputRequired.elicit(form("Please confirm", { ok: { type: "boolean" } }));

const pause = () => Bun.sleep(20);

async function log(_call: ToolCall, sdk: ServerContext): Promise<ToolResult> {
  for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await sdk.mcpReq.log("info", line);
    await pause();
  }
  return text("Logged three lines");
}

export const askingTools: Readonly<Record<string, AskingTool>> = {
  test_tool_with_logging: log,
  test_logging_tool: log,
  async test_tool_with_progress(call) {
    for (const progress of [0, 50, 100]) {
      call.onProgress?.({ progress, total: 100 });
      await pause();
    }
    return text("Progress reported");
  },
  async test_sampling(call, sdk) {
    const prompt = String(call.arguments["prompt"]);
    const answer = await sdk.mcpReq.requestSampling({
      messages: [{ role: "user", content: { type: "text", text: prompt } }],
      maxTokens: 100,
    });
    return text(`LLM response: ${JSON.stringify(answer.content)}`);
  },
  test_elicitation: (call, sdk) =>
    elicit(sdk, form(String(call.arguments["message"]), { username: string, email: string }), "User response"),
  test_elicitation_sep1034_defaults: (_call, sdk) =>
    elicit(
      sdk,
      form("Please review", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
      "Elicitation completed",
    ),
  test_elicitation_sep1330_enums: (_call, sdk) =>
    elicit(
      sdk,
      form("Please choose", {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: titled("value", ["First Option", "Second Option", "Third Option"]) },
        legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: titled("value", ["First Choice", "Second Choice", "Third Choice"]) } },
      }),
      "Elicitation completed",
    ),
  async test_missing_capability() {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
  async test_streaming_elicitation(_call, sdk) {
    await sdk.mcpReq.log("info", "about to ask");
    return ask({ user_name: nameQuestion });
  },
  async test_input_required_result_elicitation({ inputResponses }) {
    const name = accepted(inputResponses, "user_name", "name");
    return typeof name === "string" ? text(`Hello, ${name}!`) : ask({ user_name: nameQuestion });
  },
  async test_input_required_result_sampling({ inputResponses }) {
    const answer = inputResponses?.["capital_question"];
    return answer === undefined ? ask({ capital_question: capitalQuestion }) : text(`The model says ${JSON.stringify(answer)}`);
  },
  async test_input_required_result_list_roots({ inputResponses }) {
    const roots = inputResponses?.["client_roots"];
    return roots === undefined ? ask({ client_roots: inputRequired.listRoots() }) : text(`Roots: ${JSON.stringify(roots)}`);
  },
  async test_input_required_result_request_state(call, sdk) {
    const step = await verified(call, sdk);
    return step === undefined || call.inputResponses?.["confirm"] === undefined
      ? ask({ confirm: confirmQuestion }, "asked")
      : text("state-ok");
  },
  async test_input_required_result_tampered_state(call, sdk) {
    return (await verified(call, sdk)) === undefined ? ask({ confirm: confirmQuestion }, "asked") : text("state-ok");
  },
  async test_input_required_result_multiple_inputs(call, sdk) {
    const keys = ["user_name", "greeting", "client_roots"];
    const complete = (await verified(call, sdk)) !== undefined && keys.every((key) => call.inputResponses?.[key] !== undefined);
    return complete
      ? text("All three answers are here")
      : ask({ user_name: nameQuestion, greeting: capitalQuestion, client_roots: inputRequired.listRoots() }, "asked");
  },
  async test_input_required_result_multi_round(call, sdk) {
    const step = await verified(call, sdk);
    if (step === "two" && call.inputResponses?.["step2"] !== undefined) return text("Both steps are done");
    if (step === "one" && call.inputResponses?.["step1"] !== undefined) {
      return ask({ step2: inputRequired.elicit(form("Step 2: What is your favorite color?", { color: string })) }, "two");
    }
    return ask({ step1: inputRequired.elicit(form("Step 1: What is your name?", { name: string })) }, "one");
  },
  async test_input_required_result_capabilities(_call, sdk) {
    const envelope: Readonly<Record<string, unknown>> = { ...sdk.mcpReq.envelope };
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
    const has = (capability: string) => typeof declared === "object" && declared !== null && capability in declared;
    return ask({
      ...(has("sampling") && { capital_question: capitalQuestion }),
      ...(has("elicitation") && { user_name: nameQuestion }),
    });
  },
};

function titled(prefix: string, titles: readonly string[]): { const: string; title: string }[] {
  return titles.map((title, index) => ({ const: `${prefix}${index + 1}`, title }));
}

/** Parameters of the two tools that have some. */
const parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  test_sampling: { prompt: string },
  test_elicitation: { message: string },
};

export const askingDefinitions = Object.keys(askingTools).map((name) => define(name, parameters[name]));
