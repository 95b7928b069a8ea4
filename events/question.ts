/** Questions that wait for an answer from outside the call: the ledger that outlives it and the process. Never an answer. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { Field, GivenAnswer, QuestionSource, QuestionWay } from "./elicitation.ts";

const about = {
  /** Unguessable. */
  id: z.string(),
  call: z.string(),
  session: z.string(),
  agent: z.string(),
  server: z.string(),
  way: QuestionWay,
  source: QuestionSource,
  /** Asked out of this task. */
  task: z.string().optional(),
};
/** What goes to the server, by names. `claimed`: somebody waits for the outcome of the call. */
const given = { by: z.string(), answers: z.array(GivenAnswer), timeoutMs: z.int(), claimed: z.literal(true).optional() };

/** The question is written down before anybody hears of it. Payload: the message, scrubbed. */
export const QuestionOpened = defineEvent(
  "question.opened",
  z.strictObject({
    ...about,
    /** Of the server's incarnation. */
    serverId: z.string(),
    tool: z.string(),
    /** Of the call, as published. */
    name: z.string(),
    round: z.int(),
    fields: z.array(Field),
    createdAt: z.int(),
    expiresAt: z.int(),
  }),
);

/** There is no room for another open question: its server is told that nobody answers. */
export const QuestionRefused = defineEvent("question.refused", z.strictObject({ ...about, limit: z.string() }));

/** Once, and for good. `digest` is keyed, over the values; they themselves are nowhere. */
export const QuestionAnswered = defineEvent("question.answered", z.strictObject({ ...about, ...given, digest: z.string() }));
export const QuestionDeclined = defineEvent("question.declined", z.strictObject({ ...about, ...given }));
/** Nobody answered in time. */
export const QuestionExpired = defineEvent("question.expired", z.strictObject(about));
/** The server no longer knows it, or what it takes to answer is gone. */
export const QuestionLapsed = defineEvent("question.lapsed", z.strictObject({ ...about, reason: z.string() }));
/** Nobody is to answer any more: its call was cancelled, its server is gone, or the policy has changed. */
export const QuestionCancelled = defineEvent("question.cancelled", z.strictObject({ ...about, reason: z.string() }));

export const questionEvents = [
  QuestionOpened,
  QuestionRefused,
  QuestionAnswered,
  QuestionDeclined,
  QuestionExpired,
  QuestionLapsed,
  QuestionCancelled,
] as const;
export type QuestionEvent = EventOf<(typeof questionEvents)[number]>;
