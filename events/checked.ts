/** The fact that everybody outside who is asked about a call before it is sent has been asked. */
import { z } from "zod";
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
    /** Of rewritten arguments, while it waits for people. */
    observed: Observed.optional(),
    deliver: Delivery.optional(),
  }),
);
export type CheckedEvent = EventOf<typeof CallChecked>;
