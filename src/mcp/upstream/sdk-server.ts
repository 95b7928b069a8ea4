/** The SDK's low-level `Server` over our backend: what answers everything that the hand-written path does not. */
import {
  type CallToolResult,
  INVALID_PARAMS,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { askPersonBy } from "./ask-person.ts";
import type { Backend, Session, ToolResult } from "./backend.ts";
import { withBrought } from "./brought.ts";
import { TASKS_EXTENSION } from "./client-abilities.ts";
import { keepHandlesFlat } from "./flat-handle.ts";
import { isTask, taskFault } from "./interim.ts";
import type { JsonObject } from "./json.ts";
import { offerSurface } from "./native.ts";
import { withContent } from "./results.ts";
import { offerTasks } from "./tasks.ts";
import { markedRefusal } from "./tool-call.ts";
import type { ToolFactsCache } from "./tool-facts.ts";

export interface ServerParts {
  readonly backend: Backend;
  readonly facts: ToolFactsCache;
  readonly onError: (error: unknown) => void;
}

interface CallParams {
  readonly name: string;
  readonly arguments?: JsonObject | undefined;
}

/** A fresh server for one session: one per legacy connection or stream, one per request in the modern era. */
export function createSdkServer(parts: ServerParts, session: Session, era: "legacy" | "modern"): Server {
  const { backend } = parts;
  const tasks = era === "modern" ? backend.tasks : undefined;
  const cacheHint = { ttlMs: 0, cacheScope: "private" } as const;
  const server = new Server(backend.info, {
    capabilities: tasks === undefined ? backend.capabilities : { ...backend.capabilities, extensions: { [TASKS_EXTENSION]: {} } },
    instructions: backend.instructions(session),
    requestState: {
      verify(state) {
        if (backend.knowsState?.(session, state) === false) throw new Error("a requestState that is none of ours");
      },
    },
    cacheHints: {
      "server/discover": cacheHint,
      "prompts/list": cacheHint,
      "resources/list": cacheHint,
      "resources/templates/list": cacheHint,
      "resources/read": cacheHint,
    },
  });
  server.onerror = parts.onError;
  if (era === "modern") keepHandlesFlat(server);
  async function callTool(params: CallParams, context: ServerContext): Promise<ToolResult> {
    try {
      return await withBrought(server, context, { era, onError: parts.onError }, async (brought) => {
        const { elicit, client } = brought;
        const asks = elicit && { askPerson: askPersonBy(elicit) };
        const call = { name: params.name, arguments: params.arguments ?? {}, sdk: context, ...asks, ...brought };
        const result = await backend.callTool(session, call);
        const fault = taskFault(result, client);
        if (fault) throw new ProtocolError(fault.code, fault.message, fault.data);
        return result;
      });
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      parts.onError(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
    }
  }

  server.setRequestHandler("tools/list", (request) => {
    if (request.params?.cursor !== undefined) {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: unknown cursor; the list has one page only");
    }
    const { tools, ttlMs, meta } = backend.listTools(session, request.params?._meta);
    return { tools: [...tools] as Tool[], ...(meta && { _meta: { ...meta } }), ...(era === "modern" && { ttlMs, cacheScope: "private" }) };
  });
  server.setRequestHandler("tools/call", async (request, context) => {
    const refusal = markedRefusal(request.params._meta);
    if (refusal?.kind === "invalid_params") throw new ProtocolError(INVALID_PARAMS, refusal.message);
    if (refusal?.kind === "result") return withContent(refusal.result);
    const given = await callTool(request.params, context);
    if (isInputRequiredResult(given)) return given;
    if (isTask(given)) return given as JsonObject & CallToolResult;
    return server.projectCallToolResult(withContent(given), parts.facts.of(session, request.params.name)?.outputSchema);
  });
  if (backend.surface) offerSurface(server, backend.surface, { session, era, onError: parts.onError });
  if (tasks) offerTasks(server, tasks, { session, onError: parts.onError });
  backend.extend?.(server, session);
  return server;
}
