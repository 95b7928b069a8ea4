/** Questions that wait for an answer from outside the call: the ledger that outlives it and the process. Never an answer. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";
import { Field, QuestionSource } from "./elicitation.ts";

/** Who is to answer: the agent with `mcp_answer`, the client with its own form, or an operator while the call waits. */
export const QuestionWay = z.enum(["handback", "client", "operator"]);
export type QuestionWay = z.output<typeof QuestionWay>;

const about = {
  /** Unguessable. */
  id: z.string(),
  call: z.string(),
  session: z.string(),
  agent: z.string(),
};

/** The question is written down before anybody hears of it. Payload: the message, scrubbed. */
export const QuestionOpened = defineEvent(
  "question.opened",
  z.strictObject({
    ...about,
    server: z.string(),
    /** Of the server's incarnation. */
    serverId: z.string(),
    tool: z.string(),
    /** Of the call, as published. */
    name: z.string(),
    way: QuestionWay,
    source: QuestionSource,
    /** Asked out of this task. */
    task: z.string().optional(),
    round: z.int(),
    fields: z.array(Field),
    createdAt: z.int(),
    expiresAt: z.int(),
  }),
);

/** There is no room for another open question: its server is told that nobody answers. */
export const QuestionRefused = defineEvent("question.refused", z.strictObject({ ...about, limit: z.string() }));

/** Once, and for good. `digest` is keyed, over the values; they themselves are nowhere. */
export const QuestionAnswered = defineEvent(
  "question.answered",
  z.strictObject({ ...about, by: z.string(), fields: z.array(z.string()), digest: z.string() }),
);
export const QuestionDeclined = defineEvent("question.declined", z.strictObject({ ...about, by: z.string() }));
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
