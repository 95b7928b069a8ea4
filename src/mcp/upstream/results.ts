/** Tool results on their way out: what each era wants of them beyond what the backend said. */

import { type CallToolResult, SERVER_INFO_META_KEY, type Server } from "@modelcontextprotocol/server";
import type { StopSignal } from "../stop.ts";
import type { Backend, Session, ToolCall, ToolResult } from "./backend.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import { interimFault, isQuestion, isTask } from "./interim.ts";
import { isObject, type JsonObject } from "./json.ts";
import { errorText, INTERNAL_ERROR, resultText } from "./rpc.ts";
import type { PlainCall } from "./tool-call.ts";

/** Every result has content, be it empty: the SDK adds it too. */
export function withContent(result: ToolResult): JsonObject & CallToolResult {
  return hasContent(result) ? result : { ...result, content: [] };
}

function hasContent(result: ToolResult): result is JsonObject & CallToolResult {
  return Array.isArray(result["content"]);
}

/** What the answer of one call depends on besides the call. */
export interface Asker {
  readonly session: Session;
  readonly client: ClientAbilities;
  readonly project: (result: ToolResult) => JsonObject;
}

/** The text of a JSON-RPC answer, and the HTTP status that belongs to it. */
export interface HandAnswer {
  readonly text: string;
  readonly status: number;
}

/** Calls a tool without the SDK. Never rejects: what breaks inside is told to `onError` only. */
export async function callByHand(
  backend: Backend,
  { session, client, project }: Asker,
  call: PlainCall,
  signal: StopSignal,
  onError: (error: unknown) => void,
): Promise<HandAnswer> {
  const base: ToolCall = { name: call.name, arguments: call.arguments, client, signal };
  try {
    const result = await backend.callTool(session, call.meta === undefined ? base : { ...base, meta: call.meta });
    const fault = interimFault(result, client);
    if (fault === undefined) return { text: resultText(call.id, project(result)), status: 200 };
    const { code, message, data } = fault;
    if (data === undefined) onError(new Error(`a ${client.era} client cannot be given this result of ${call.name}`));
    return { text: errorText(call.id, code, message, data), status: data === undefined ? 200 : 400 };
  } catch (error) {
    onError(error);
    return { text: errorText(call.id, INTERNAL_ERROR, "Internal error"), status: 200 };
  }
}

/** As legacy clients want it: structured content is always an object. `outputSchema` is asked only when there is such content. */
export function legacyResult(result: ToolResult, server: Server, outputSchema: () => JsonObject | undefined): JsonObject {
  const complete = withContent(result);
  return complete["structuredContent"] === undefined ? complete : { ...server.projectCallToolResult(complete, outputSchema()) };
}

/** As modern clients want it: discriminated, signed with our name; of a complete one, structured content that is no object also as text. */
export function modernResult(result: ToolResult, info: Backend["info"]): JsonObject {
  const signed = { [SERVER_INFO_META_KEY]: info, ...(isObject(result["_meta"]) ? result["_meta"] : {}) };
  return isTask(result) || isQuestion(result) ? { ...result, _meta: signed } : { ...completeResult(result), _meta: signed };
}

/** A complete result of the modern era, as an answer of its own or inside of a task. */
export function completeResult(result: ToolResult): JsonObject {
  const complete = withContent(result);
  const structured = complete["structuredContent"];
  const needsText = structured !== undefined && !isObject(structured) && !complete.content.some((block) => block.type === "text");
  return {
    ...complete,
    ...(needsText && { content: [...complete.content, { type: "text", text: JSON.stringify(structured) }] }),
    resultType: result["resultType"] ?? "complete",
  };
}
