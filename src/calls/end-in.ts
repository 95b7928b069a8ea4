/** The end of a call, read back out of the event that says it. */
import type { CallAnswered, CallRefused } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { CallEnd } from "./open-calls.ts";

type Answered = EventOf<typeof CallAnswered>["data"];
type Refused = EventOf<typeof CallRefused>["data"];

/** `payload`: its own, which holds the reason where that may repeat somebody's words. Undefined values are left out. */
export function endIn({ type, data }: Pick<Envelope, "type" | "data">, payload: unknown): Omit<CallEnd, "notices" | "result"> {
  const words = reasonIn(payload);
  if (type === "call.refused") {
    const { call, code, rule, retryAfterMs, approval } = data as Refused;
    return {
      ...{ call, certainty: "not_applied", code, rule },
      ...(words !== undefined && { reason: words }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(approval !== undefined && { approval }),
    };
  }
  const { isError: _e, notices: _n, unclaimed: _u, resultDigest: _r, denial: _d, task: _t, reason, ...end } = data as Answered;
  const said = words ?? reason;
  return { ...end, ...(said !== undefined && { reason: said }) } as Omit<CallEnd, "notices" | "result">;
}

function reasonIn(payload: unknown): string | undefined {
  const { reason } = (typeof payload === "object" && payload !== null ? payload : {}) as { readonly reason?: unknown };
  return typeof reason === "string" ? reason : undefined;
}
