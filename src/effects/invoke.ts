/** Sends one call and reports what became of it. At the deadline, which progress puts off, it reports a time-out and keeps listening: a late answer is reported too. */
import { serverAddress } from "../../actors/address.ts";
import type { Invoke } from "../../actors/server-commands.ts";
import type { Forgettable, OpenCall, OpenCalls, Progress, ToolResult } from "../calls/open-calls.ts";
import { type CallOutcome, type CallReply, type CallRequest, type Interim, isInterim } from "../mcp/downstream/downstream.ts";
import { measure } from "../observe/bounds.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Ending } from "./certainty.ts";
import { createDeadline } from "./deadline.ts";
import { endOfLeg, type LegPorts } from "./leg.ts";

const INVALID_PARAMS = -32602;
/** After an explicit cancel the server gets this long to say what it has done. */
const CANCEL_GRACE_MS = 5000;

/** Past the deadline a late answer is still welcome for so long. */
const LISTEN_ON_MS = 600_000;
/** What JSON can be walked without harm: a deeper or wider answer is not kept. */
const RESULT_LIMITS = { elements: 1_000_000, depth: 256 } as const;

/** To answers: what they belong to is gone, and nothing was done. */
const forgets = (reply: CallOutcome): boolean =>
  (reply.kind === "rpc_error" && reply.code === INVALID_PARAMS) || (reply.kind === "not_sent" && reply.forgets === true);

/** The server has answered, but with something that cannot be stored: that is said instead. */
function bounded(ending: Ending): Ending {
  if (ending.kind !== "result") return ending;
  const { exceeded } = measure(ending.result, RESULT_LIMITS);
  if (!exceeded) return ending;
  const limit =
    exceeded === "depth" ? `is nested deeper than ${RESULT_LIMITS.depth} levels` : `holds more than ${RESULT_LIMITS.elements} elements`;
  const text = `The tool was called and has answered, but its answer ${limit} and was left out.`;
  return { kind: "result", result: { content: [{ type: "text", text }], isError: true } };
}

export interface InvokePorts extends LegPorts {
  readonly runtime: Pick<Runtime, "enter" | "now" | "catalogue">;
  readonly clock: Clock;
  readonly openCalls: OpenCalls;
  /** Sends to a downstream server or runs a built-in tool. Never rejects. */
  readonly send: (server: string, call: OpenCall, request: CallRequest) => Promise<CallReply>;
  /** Keyed digest of a result as the agent will read it, where the limits of its profile need one. */
  readonly resultDigest: (profile: string, result: ToolResult) => string | undefined;
  /** Takes secrets out of what it says on the way. */
  readonly redact: (text: string) => string;
  /** The server has answered the request, but not the call. */
  readonly interim: (effect: Invoke, call: OpenCall, reply: Interim) => void;
  /** What this call may be answered with besides a result. */
  readonly accepts: (effect: Invoke, call: OpenCall) => NonNullable<CallRequest["accepts"]>;
  /** Its server has forgotten the question that was answered. */
  readonly forgotten: (question: Forgettable) => void;
  /** Named steps at which crash tests end the process. */
  readonly failpoint: (step: "before_send" | "after_answer") => void;
}

export function createInvoke({
  runtime,
  clock,
  openCalls,
  send,
  redact,
  failpoint,
  resultDigest,
  interim,
  accepts,
  forgotten,
  ...ports
}: InvokePorts): (effect: Invoke) => void {
  return (effect) => {
    const { call: id, server, capability } = effect;
    const report = (ending: Ending) => {
      const open = openCalls.get(id);
      const { result, ...end } = endOfLeg(bounded(ending), effect, open, ports);
      if (open && result) open.result = result;
      const digest = open && result && resultDigest(open.profile, result);
      const told = digest !== undefined && { resultDigest: digest };
      const command = { type: "return", call: id, ...end, ...told, ...(result && { payload: result }) };
      runtime.enter(serverAddress(server), command).catch(() => undefined); // recorded as turn.failed
    };
    const call = openCalls.get(id);
    if (!call) return report({ kind: "not_sent", reason: "nobody holds its arguments" });

    call.capability = capability;
    if (call.result) delete call.result; // of the leg before
    const begun = runtime.now();
    const ms = effect.deadline - begun;
    const boundMs = call.onProgress && runtime.catalogue().limits.maxTimeoutMs;
    let stopListening: (() => void) | undefined;
    const deadline = createDeadline(clock, ms, boundMs, () => {
      report({ kind: "timeout", ms: deadline.wasPutOff ? runtime.now() - begun : ms });
      stopListening = clock.after(LISTEN_ON_MS, () => call.stop.abort("given up"));
    });
    const onProgress = ({ message, ...progress }: Progress) => {
      if (deadline.isOver) return;
      deadline.putOff(call.timeoutMs); // a server that says how far it is gets its time anew
      call.onProgress?.({ ...progress, ...(message !== undefined && { message: redact(message) }) });
    };
    call.pause = () => deadline.pause(call.timeoutMs);
    const { leg } = call;
    if (leg) delete call.leg;
    let stopGrace: (() => void) | undefined;
    const onCancel = () => {
      stopGrace = clock.after(CANCEL_GRACE_MS, () => {
        deadline.stop();
        report({ kind: "cancelled" });
      });
    };
    call.stop.signal.addEventListener("abort", onCancel, { once: true });
    const request: CallRequest = {
      tool: effect.tool,
      arguments: effect.filled ? { ...call.arguments, ...effect.filled } : call.arguments,
      signal: call.stop.signal,
      ...(call.meta && { meta: call.meta }),
      ...(call.onProgress && { onProgress }),
      ...(leg && { inputResponses: leg.inputResponses, ...(leg.requestState !== undefined && { requestState: leg.requestState }) }),
      accepts: accepts(effect, call),
    };
    failpoint("before_send");
    void send(server, call, request).then((outcome) => {
      failpoint("after_answer");
      deadline.stop();
      stopListening?.();
      stopGrace?.();
      call.stop.signal.removeEventListener("abort", onCancel);
      if (isInterim(outcome)) return interim(effect, call, outcome);
      const isForgotten = leg?.question !== undefined && forgets(outcome);
      if (isForgotten && leg?.question) forgotten(leg.question);
      report(isForgotten ? { kind: "lapsed" } : outcome);
    });
  };
}
