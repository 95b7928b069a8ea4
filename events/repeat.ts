/** A call that goes out once more, with an argument that the tool missed. */
import { z } from "zod";
import { Capability } from "./call.ts";
import { defineEvent, type EventOf } from "./define.ts";

/** Where a value comes from that no agent gave. */
export const ValueSource = z.enum(["time_zone", "time"]);
export type ValueSource = z.output<typeof ValueSource>;

/** The intent of the next leg: durable before it leaves, like the first one's. Payload: the scrubbed answer of the leg before. */
export const CallRepeated = defineEvent(
  "call.repeated",
  z.strictObject({
    call: z.string(),
    session: z.string(),
    capability: Capability,
    /** 2 for the first repeat. */
    leg: z.int(),
    field: z.string(),
    source: ValueSource,
    value: z.string(),
  }),
);
export type RepeatEvent = EventOf<typeof CallRepeated>;
