/** Asks a server something that is no call, for somebody who waits for it now: it is not recorded, and nobody waits long. */
import { describeFailure } from "../calls/failure.ts";
import type { NativeAnswer } from "../calls/native-answer.ts";
import type { ToolResult } from "../calls/open-calls.ts";
import { type Ending, judge } from "../effects/certainty.ts";
import type { Connections } from "../effects/connections.ts";
import { type DownstreamRequest, isInterim } from "../mcp/downstream/downstream.ts";
import { createStop } from "../mcp/stop.ts";
import { measure } from "../observe/bounds.ts";
import type { Clock } from "../runtime/timers.ts";

export interface InquirePorts {
  readonly connections: Pick<Connections, "request">;
  readonly clock: Clock;
  readonly conceal: (result: ToolResult, scope: { session: string; server?: string }) => ToolResult;
  readonly redact: (text: string) => string;
}
/** Scrubbed. Past the limit the server is told to stop. Never rejects. */
export type Inquire = (
  to: { readonly server: string; readonly session: string },
  request: DownstreamRequest,
  limitMs: number,
) => Promise<NativeAnswer>;

const RESULT_LIMITS = { elements: 10_000, depth: 64 } as const;
const INTERNAL_ERROR = -32603;
/** By the protocol such requests are answered at once. */
const UNASKED: Ending = { kind: "rpc_error", code: INTERNAL_ERROR, message: "The server asks a question instead of answering." };
const TOO_LARGE: NativeAnswer = { ok: false, error: { code: INTERNAL_ERROR, message: "The server's answer is too large." } };

export const createInquire =
  ({ connections, clock, conceal, redact }: InquirePorts): Inquire =>
  (to, request, ms) =>
    new Promise((resolve) => {
      const limit = createStop();
      const leave = () => limit.abort("cancelled");
      const end = (ending: Ending) => {
        stop();
        request.signal?.removeEventListener("abort", leave);
        resolve(answerOf(ending));
      };
      const scrubbed = (result: ToolResult, isElsewhere = false) =>
        conceal(result, { session: to.session, ...(!isElsewhere && { server: to.server }) });
      const answerOf = (ending: Ending): NativeAnswer => {
        if (ending.kind === "rpc_error") return { ok: false, error: { code: ending.code, message: redact(ending.message) } };
        if (ending.kind === "result")
          return measure(ending.result, RESULT_LIMITS).exceeded
            ? TOO_LARGE
            : { ok: true, result: scrubbed(ending.result, ending.isElsewhere) };
        const { message, callId: _, ...data } = describeFailure({ call: "", notices: [], ...judge(ending, "read") }, request.method);
        return { ok: false, error: { code: INTERNAL_ERROR, message, data } };
      };
      const stop = clock.after(ms, () => {
        limit.abort("timeout");
        end({ kind: "timeout", ms });
      });
      if (request.signal?.aborted) leave();
      request.signal?.addEventListener("abort", leave, { once: true });
      void connections.request(to.server, { ...request, signal: limit.signal }).then((reply) => end(isInterim(reply) ? UNASKED : reply));
    });
