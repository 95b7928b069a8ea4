/** What the events of a call say when it does not go out at once. */
import { z } from "zod";
import { Observed } from "./policy.ts";

/** Of `call.requested`. */
export const waits = {
  /** It is not sent yet: hooks are asked about it, people decide, or earlier calls of its session come first. */
  stage: z.enum(["checking", "asking", "queued"]).optional(),
  /** Those that are asked. */
  hooks: z.array(z.string()).optional(),
  /** The approval that it waits for, and until when its request does; or that lets it pass at once. */
  approval: z.string().optional(),
  holdUntil: z.int().optional(),
  /** What it is judged by once more before it is sent. */
  observed: Observed.optional(),
};

/** Of `call.answered`. */
export const unsent = {
  /** It ended over this approval, which can be decided until then. */
  approval: z.string().optional(),
  expiresAt: z.int().optional(),
  /** Why it was not sent; for operators. The payload then holds the reason in words where those may repeat the agent's. */
  rule: z.string().optional(),
  retryAfterMs: z.int().optional(),
};

/** Of `call.unclaimed`: its request is answered with a question, or with a task that goes on. */
export const waitsFor = {
  question: z.string().optional(),
  task: z.string().optional(),
  /** The call itself goes on as before, and is followed as that task. */
  offered: z.literal(true).optional(),
};
