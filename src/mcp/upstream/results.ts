/** Tool results on their way out: what each era wants of them beyond what the backend said. */

import { type CallToolResult, SERVER_INFO_META_KEY, type Server } from "@modelcontextprotocol/server";
import type { StopSignal } from "../stop.ts";
import type { Backend, Session, ToolCall, ToolResult } from "./backend.ts";
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

/** Calls a tool without the SDK and gives the text of the JSON-RPC answer. Never rejects: what breaks inside is told to `onError` only. */
export async function callByHand(
  backend: Backend,
  session: Session,
  call: PlainCall,
  signal: StopSignal,
  project: (result: ToolResult) => JsonObject,
  onError: (error: unknown) => void,
): Promise<string> {
  const base: ToolCall = { name: call.name, arguments: call.arguments, signal };
  try {
    const result = await backend.callTool(session, call.meta === undefined ? base : { ...base, meta: call.meta });
    return resultText(call.id, project(result));
  } catch (error) {
    onError(error);
    return errorText(call.id, INTERNAL_ERROR, "Internal error");
  }
}

/** As legacy clients want it: structured content is always an object. `outputSchema` is asked only when there is such content. */
export function legacyResult(result: ToolResult, server: Server, outputSchema: () => JsonObject | undefined): JsonObject {
  const complete = withContent(result);
  return complete["structuredContent"] === undefined ? complete : { ...server.projectCallToolResult(complete, outputSchema()) };
}

/** As modern clients want it: discriminated, signed with our name, and structured content that is no object also as text. */
export function modernResult(result: ToolResult, info: Backend["info"]): JsonObject {
  const complete = withContent(result);
  const meta = isObject(result["_meta"]) ? result["_meta"] : {};
  const structured = complete["structuredContent"];
  const needsText = structured !== undefined && !isObject(structured) && !complete.content.some((block) => block.type === "text");
  return {
    ...complete,
    ...(needsText && { content: [...complete.content, { type: "text", text: JSON.stringify(structured) }] }),
    resultType: result["resultType"] ?? "complete",
    _meta: { [SERVER_INFO_META_KEY]: info, ...meta },
  };
}
