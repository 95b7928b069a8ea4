/** Requests that are no tool calls: for a prompt or a resource a modern server may ask first. */
import { awaitedBy, capabilitiesFor } from "./announced.ts";
import type { CallReply, DownstreamRequest, Introduction } from "./downstream.ts";
import { broughtBy, FORGETS, isFurther } from "./further-leg.ts";
import type { Awaited } from "./interim.ts";
import type { RawCalls } from "./raw-calls.ts";

export interface OtherRequestsParts {
  readonly era: Introduction["era"];
  readonly calls: RawCalls;
  /** What the connection may announce. */
  readonly may: Awaited;
}

/** By the protocol no other may be answered with a question. */
const MAY_ASK: readonly string[] = ["prompts/get", "resources/read"];

/** `Downstream.request`. */
export function otherRequests({ era, calls, may }: OtherRequestsParts): (request: DownstreamRequest) => Promise<CallReply> {
  return async (request) => {
    const { method, params, meta, signal, onProgress } = request;
    if (!MAY_ASK.includes(method)) return calls.request({ method, params, meta, signal, onProgress });
    if (isFurther(request) && era === "legacy") return FORGETS;
    const announced = { ...awaitedBy(request, may), tasks: false };
    const leg = { method, params: { ...params, ...broughtBy(request) }, meta, signal, onProgress };
    return calls.call({ ...leg, capabilities: capabilitiesFor(announced) }, announced);
  };
}
