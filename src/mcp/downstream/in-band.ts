/** Questions on the open connection of an older server: they go to whoever listens, any other request of a server is refused. */
import { type Client, METHOD_NOT_FOUND, ProtocolError, RELATED_TASK_META_KEY } from "@modelcontextprotocol/client";
import type { DownstreamEvents, InputResponse } from "./downstream.ts";
import { isObject } from "./json.ts";

/** More at a time are declined unseen. */
const MAX_OPEN = 64;
const DECLINED: InputResponse = { action: "decline" };

export interface InBand {
  /** How many requests of the server were refused so far. */
  refusals(): number;
}

/** Without `onQuestion`, questions are refused, too: nothing was announced then. */
export function listenInBand(client: Client, onQuestion: DownstreamEvents["onQuestion"]): InBand {
  let refusals = 0;
  let open = 0;
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq: { signal } }) => {
    if (method !== "elicitation/create" || onQuestion === undefined) {
      refusals++;
      throw new ProtocolError(METHOD_NOT_FOUND, "Method not found");
    }
    if (open >= MAX_OPEN) return { ...DECLINED };
    open++;
    try {
      const { _meta, ...asked } = isObject(params) ? params : {};
      const related = isObject(_meta) ? _meta[RELATED_TASK_META_KEY] : undefined;
      const taskId = isObject(related) && typeof related["taskId"] === "string" ? related["taskId"] : undefined;
      const response = await onQuestion({ request: { method, params: asked }, ...(taskId !== undefined && { taskId }), signal });
      // Whatever belongs to a task says so.
      return { ...response, ...(taskId !== undefined && { _meta: { [RELATED_TASK_META_KEY]: { taskId } } }) };
    } finally {
      open--;
    }
  };
  return { refusals: () => refusals };
}
