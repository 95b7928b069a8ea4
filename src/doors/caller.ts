/** Whose rules a request of a session is judged by. */
import type { Caller, Refused } from "../calls/admission.ts";
import { narrowingOf } from "../calls/narrowing.ts";
import type { Session } from "../mcp/upstream/backend.ts";

/** `meta` is the request's `_meta`, as received; a fault in it refuses the request. */
export function callerOf(
  { id, principal, client }: Session,
  meta?: Readonly<Record<string, unknown>>,
): { readonly caller: Caller; readonly refusal?: Refused } {
  const narrowing = narrowingOf(meta);
  const caller = {
    session: id,
    agent: principal.agent,
    profile: principal.profile,
    ...(client !== undefined && { client }),
    ...(narrowing && "narrow" in narrowing && { narrow: narrowing.narrow }),
  };
  return narrowing && "refusal" in narrowing ? { caller, refusal: narrowing.refusal } : { caller };
}
