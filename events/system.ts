/** What happens to the program itself. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";

/** The program took over the log. */
export const ProcessStarted = defineEvent("process.started", z.strictObject({ version: z.string(), build: z.string() }));

/** The program gave the log back in good order. */
export const ProcessStopped = defineEvent("process.stopped", z.strictObject({ reason: z.string() }));

/** A turn threw before anything was recorded: a defect of ours. The caller got `internal`, nothing happened. */
export const TurnFailed = defineEvent("turn.failed", z.strictObject({ to: z.string(), command: z.string(), error: z.string() }));

/** Free values were erased; the events stay. */
export const PayloadErased = defineEvent(
  "payload.erased",
  z.strictObject({ session: z.string(), events: z.int(), blobs: z.int(), by: z.string(), reason: z.string() }),
);

/** A value was put into the secret store under this name, in the place of another when `replaced`. `updatedAt` is the store's own time. */
export const SecretSet = defineEvent(
  "secret.set",
  z.strictObject({ name: z.string(), updatedAt: z.int(), replaced: z.boolean(), by: z.string() }),
);

export const SecretRemoved = defineEvent("secret.removed", z.strictObject({ name: z.string(), by: z.string() }));

export const systemEvents = [ProcessStarted, ProcessStopped, TurnFailed, PayloadErased, SecretSet, SecretRemoved] as const;
export type SystemEvent = EventOf<(typeof systemEvents)[number]>;
