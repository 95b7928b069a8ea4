/** Results that answer a request but not its call: a question back, or a task that goes on. Who may be given which. */
import type { ToolResult } from "./backend.ts";
import { type ClientAbilities, TASKS_EXTENSION } from "./client-abilities.ts";
import { isObject, type JsonObject } from "./json.ts";
import { INTERNAL_ERROR, MISSING_CAPABILITY } from "./rpc.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly requiredCapabilities: JsonObject };
}

export const isTask = (result: ToolResult): boolean => result["resultType"] === "task";
export const isQuestion = (result: ToolResult): boolean => result["resultType"] === "input_required";

/** What a request is told that did not declare tasks. */
export const TASKS_UNDECLARED: RpcError = missing("Missing required client capability: tasks", { extensions: { [TASKS_EXTENSION]: {} } });
const FORMS_UNDECLARED = missing("Missing required client capability: elicitation", { elicitation: { form: {} } });
const UNFIT: RpcError = { code: INTERNAL_ERROR, message: "Internal error" };

/** Why the sender cannot be given this task; undefined when it can, or when the result is none. */
export function taskFault(result: ToolResult, client: ClientAbilities): RpcError | undefined {
  if (!isTask(result) || client.tasks) return undefined;
  return client.era === "modern" ? TASKS_UNDECLARED : UNFIT;
}

/** The same of any result. Of questions only forms, to modern clients: for all else there is the SDK. */
export function interimFault(result: ToolResult, client: ClientAbilities): RpcError | undefined {
  if (!isQuestion(result)) return taskFault(result, client);
  if (client.era === "legacy") return UNFIT;
  const { inputRequests, requestState } = result;
  const asked = isObject(inputRequests) ? Object.values(inputRequests) : [];
  if ((asked.length === 0 && typeof requestState !== "string") || !asked.every(isForm)) return UNFIT;
  return asked.length === 0 || client.elicitation ? undefined : FORMS_UNDECLARED;
}

function isForm(request: unknown): boolean {
  if (!isObject(request) || request["method"] !== "elicitation/create") return false;
  return isObject(request["params"]) && request["params"]["mode"] !== "url";
}

function missing(message: string, requiredCapabilities: JsonObject): RpcError {
  return { code: MISSING_CAPABILITY, message, data: { requiredCapabilities } };
}
