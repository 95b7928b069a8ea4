/** The fact that everybody outside who is asked about a call before it is sent has been asked. */
import { z } from "zod";
import { Capability } from "./call.ts";
import { defineEvent, type EventOf } from "./define.ts";
import { Delivery } from "./delivery.ts";
import { Counted } from "./limits.ts";
import { Observed, Verdict } from "./policy.ts";

/** What came of it. Payload: the redacted arguments, where they were rewritten, and the words of whoever said no. */
export const CallChecked = defineEvent(
  "call.checked",
  z.strictObject({
    call: z.string(),
    verdicts: z.array(Verdict),
    /** Of rewritten arguments. */
    digest: z.string().optional(),
    counted: Counted.optional(),
    /** It goes on waiting: for people, or for earlier calls of its session. */
    stage: z.enum(["asking", "queued"]).optional(),
    approval: z.string().optional(),
    holdUntil: z.int().optional(),
    /** Of rewritten arguments, while it goes on waiting. */
    observed: Observed.optional(),
    capability: Capability.optional(), // where they make it another
    deliver: Delivery.optional(),
  }),
);

/** The rules changed while it waited: what its arguments come to by those that hold now. It is judged by this from now on. */
export const CallObserved = defineEvent("call.observed", z.strictObject({ call: z.string(), observed: Observed }));

export type CheckedEvent = EventOf<typeof CallChecked>;
export type ObservedEvent = EventOf<typeof CallObserved>;
