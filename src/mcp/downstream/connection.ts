/** Joins handshake, hand-written calls and notifications into one `Downstream`. */
import { METHOD_NOT_FOUND, ProtocolError } from "@modelcontextprotocol/client";
import { awaitedBy, capabilitiesFor, hasTasks } from "./announced.ts";
import { watchChanges } from "./changes.ts";
import type { ToolDefinition } from "./definitions.ts";
import type { CallReply, CallRequest, Downstream } from "./downstream.ts";
import type { Handshake } from "./handshake.ts";
import { modernTasks } from "./modern-tasks.ts";
import { optionalLists } from "./optional-lists.ts";
import { type ConnectOptions, type Schedule, scheduleWithTimers } from "./options.ts";
import { headersOfCall, type ParameterHeaders, parameterHeaders } from "./param-headers.ts";
import type { RawCalls, RawRequest } from "./raw-calls.ts";
import { readToolList } from "./tool-list.ts";

const DEBOUNCE_MS = 500;
const HEADER_MISMATCH = -32020;
const SERVER_ERROR = -32000;
/** Sent again, the call would be a new one to it. */
const FORGETS = "the server now speaks an older protocol, which cannot go on with a call that asked";

export interface ConnectionParts {
  readonly handshake: Handshake;
  readonly calls: RawCalls;
  /** True where `x-mcp-header` counts: modern Streamable HTTP. */
  readonly mirrorsHeaders: boolean;
  readonly pid?: number | undefined;
  stderr(): readonly string[];
  /** Ends what is under the client: the process, the session. */
  closeTransport(): Promise<void>;
}

export interface Connection {
  readonly downstream: Downstream;
  /** The connection broke: settles every open call, then tells the owner. */
  broke(reason: string): void;
}

/** Makes the connection, already open. */
export function createConnection(parts: ConnectionParts, options: ConnectOptions): Connection {
  const { handshake, calls } = parts;
  const { era } = handshake.introduction;
  const may = { questions: options.elicitation === true, tasks: options.tasks === true && hasTasks(handshake.introduction) };
  const schedule = options.schedule ?? scheduleWithTimers;
  let headers = new Map<string, ParameterHeaders>();
  let over: Promise<void> | undefined;
  let closed = false;
  let refusals = 0;

  handshake.client.fallbackRequestHandler = async () => {
    refusals++;
    throw new ProtocolError(METHOD_NOT_FOUND, "Method not found");
  };

  const { events } = options;
  const tools = debounce(schedule, () => events.onToolsChanged());
  const prompts = debounce(schedule, () => events.onPromptsChanged());
  const resources = debounce(schedule, () => events.onResourcesChanged());
  const changes = watchChanges(handshake.client, calls, schedule, {
    onTools: tools.call,
    onPrompts: prompts.call,
    onResources: resources.call,
    onResource: (uri) => events.onResourceUpdated(uri),
  });
  const lists = optionalLists({
    capabilities: handshake.introduction.capabilities,
    request: (method, params) => calls.request({ method, params }),
    onWarning: (text) => options.onWarning?.(text),
  });

  function end(reason: string): Promise<void> {
    over ??= (async () => {
      changes.stop();
      for (const { callOff } of [tools, prompts, resources]) callOff();
      calls.end(reason);
      await parts.closeTransport().catch(() => undefined);
      await handshake.client.close().catch(() => undefined);
    })();
    return over;
  }

  async function listTools(): Promise<readonly ToolDefinition[]> {
    if (!("tools" in handshake.introduction.capabilities)) return [];
    const tools = await readToolList({
      page: (params) => calls.request({ method: "tools/list", params }),
      checkHeaders: parts.mirrorsHeaders,
      onWarning: (text) => options.onWarning?.(text),
    });
    if (parts.mirrorsHeaders) headers = new Map(tools.map((tool) => [tool.name, parameterHeaders(tool.inputSchema)]));
    return tools;
  }

  /** A tool that fails because we refused what it asked of us may hand our error back as its own; it did run, so it is not unknown. */
  async function send(request: CallRequest): Promise<CallReply> {
    const { inputResponses, requestState } = request;
    const isFurther = inputResponses !== undefined || requestState !== undefined;
    if (isFurther && era === "legacy") return { kind: "not_sent", reason: FORGETS };
    const declared = headers.get(request.tool);
    const before = refusals;
    const awaited = awaitedBy(request, may);
    const wire: RawRequest = {
      method: "tools/call",
      params: {
        name: request.tool,
        arguments: request.arguments,
        ...(inputResponses !== undefined && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      },
      meta: request.meta,
      signal: request.signal,
      onProgress: request.onProgress,
      headers: declared?.ok === true ? headersOfCall(declared.headers, request.arguments) : undefined,
      capabilities: capabilitiesFor(awaited),
    };
    const outcome = await calls.call(wire, awaited);
    const isOurs = outcome.kind === "rpc_error" && outcome.code === METHOD_NOT_FOUND && refusals > before;
    return isOurs ? { ...outcome, code: SERVER_ERROR } : outcome;
  }

  /** A server that misses a mirrored header refuses before it acts, so a second try with a fresh list is safe. */
  async function sendMirrored(request: CallRequest): Promise<CallReply> {
    const outcome = await send(request);
    if (outcome.kind !== "rpc_error" || outcome.code !== HEADER_MISMATCH) return outcome;
    const before = headers.get(request.tool);
    await listTools().catch(() => undefined);
    return Bun.deepEquals(before, headers.get(request.tool)) ? outcome : send(request);
  }

  return {
    downstream: {
      introduction: handshake.introduction,
      ...(parts.pid === undefined ? {} : { pid: parts.pid }),
      call: parts.mirrorsHeaders ? sendMirrored : send,
      ...(may.tasks && { tasks: modernTasks(calls, may) }),
      listTools,
      request: calls.request,
      listPrompts: lists.prompts,
      listResources: lists.resources,
      subscribe: changes.subscribe,
      unsubscribe: changes.unsubscribe,
      stderr: parts.stderr,
      close() {
        closed = true;
        return end("closed");
      },
    },
    broke(reason) {
      if (over !== undefined) return;
      void end(reason);
      // In a later turn, when whoever awaits an outcome has seen it.
      setImmediate(() => {
        if (!closed) events.onClosed(reason);
      });
    },
  };
}

/** The first call starts the wait and later ones change nothing, so a steady stream of them cannot put it off for ever. */
function debounce(schedule: Schedule, callback: () => void): { readonly call: () => void; readonly callOff: () => void } {
  let waiting: (() => void) | undefined;
  return {
    call() {
      waiting ??= schedule(() => {
        waiting = undefined;
        callback();
      }, DEBOUNCE_MS);
    },
    callOff: () => waiting?.(),
  };
}
