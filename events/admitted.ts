/** The fact that a call that had to wait goes on. */
import { z } from "zod";
import { Capability } from "./call.ts";
import { defineEvent, type EventOf } from "./define.ts";
import { Delivery } from "./delivery.ts";
import { judgedAgain } from "./policy.ts";

/** A call that had to wait may be made now. `grant`: the approval that it uses up. */
export const CallAdmitted = defineEvent(
  "call.admitted",
  z.strictObject({
    call: z.string(),
    name: z.string(),
    server: z.string(),
    tool: z.string(),
    capability: Capability,
    digest: z.string(),
    timeoutMs: z.int(),
    deliver: Delivery.optional(),
    grant: z.string().optional(),
    covered: z.array(z.string()).optional(), // the rules that people were asked for
    ...judgedAgain,
  }),
);
export type AdmittedEvent = EventOf<typeof CallAdmitted>;
