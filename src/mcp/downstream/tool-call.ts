/** Sends one leg of a tool call: what it says of us, the headers it needs, and when it must not go out at all. */
import { METHOD_NOT_FOUND } from "@modelcontextprotocol/client";
import { awaitedBy, capabilitiesFor } from "./announced.ts";
import type { CallReply, CallRequest, Introduction } from "./downstream.ts";
import { broughtBy, FORGETS, isFurther } from "./further-leg.ts";
import type { InBand } from "./in-band.ts";
import type { Awaited } from "./interim.ts";
import type { KnownTools } from "./known-tools.ts";
import type { RawCalls } from "./raw-calls.ts";

const HEADER_MISMATCH = -32020;
const SERVER_ERROR = -32000;
const DEFAULT_TASK_TTL_MS = 2 * 60 * 60 * 1000;

export interface ToolCallParts {
  readonly era: Introduction["era"];
  readonly calls: RawCalls;
  readonly tools: KnownTools;
  readonly inBand: InBand;
  /** What the connection may announce. */
  readonly may: Awaited;
  readonly mirrorsHeaders: boolean;
  readonly taskTtlMs?: number | undefined;
}

/** `Downstream.call`. */
export function toolCalls({
  era,
  calls,
  tools,
  inBand,
  may,
  mirrorsHeaders,
  taskTtlMs,
}: ToolCallParts): (request: CallRequest) => Promise<CallReply> {
  /** A tool that fails because we refused what it asked of us may hand our error back as its own; it did run, so it is not unknown. */
  async function send(request: CallRequest): Promise<CallReply> {
    if (isFurther(request) && era === "legacy") return FORGETS;
    const announced = awaitedBy(request, may);
    // An older server makes a task of what it is asked to, a modern one of what it likes.
    const asksForTask = era === "legacy" && announced.tasks && (await tools.takesTask(request.tool));
    const awaited = { ...announced, tasks: era === "legacy" ? asksForTask : announced.tasks };
    const before = inBand.refusals();
    const outcome = await calls.call(
      {
        method: "tools/call",
        params: {
          name: request.tool,
          arguments: request.arguments,
          ...(asksForTask && { task: { ttl: taskTtlMs ?? DEFAULT_TASK_TTL_MS } }),
          ...broughtBy(request),
        },
        meta: request.meta,
        signal: request.signal,
        onProgress: request.onProgress,
        headers: tools.headersOf(request),
        capabilities: capabilitiesFor(announced),
      },
      awaited,
    );
    const isOurs = outcome.kind === "rpc_error" && outcome.code === METHOD_NOT_FOUND && inBand.refusals() > before;
    return isOurs ? { ...outcome, code: SERVER_ERROR } : outcome;
  }

  /** A server that misses a mirrored header refuses before it acts, so a second try with a fresh list is safe. */
  async function sendMirrored(request: CallRequest): Promise<CallReply> {
    const outcome = await send(request);
    if (outcome.kind !== "rpc_error" || outcome.code !== HEADER_MISMATCH) return outcome;
    return (await tools.refreshed(request.tool)) ? send(request) : outcome;
  }

  return mirrorsHeaders ? sendMirrored : send;
}
