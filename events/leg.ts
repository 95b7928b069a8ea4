/** The legs of a call that its server interrupts: what it asked, that the call waits, and that it goes on. */
import { z } from "zod";
import { Capability } from "./call.ts";
import { defineEvent, type EventOf } from "./define.ts";
import { GivenAnswer, ObservedQuestion, QuestionSource, QuestionWay, Treatment } from "./elicitation.ts";

/** A server asked in the middle of this call. Payload: the messages, by key, scrubbed. */
export const CallQuestioned = defineEvent(
  "call.questioned",
  z.strictObject({
    call: z.string(),
    session: z.string(),
    source: QuestionSource,
    /** Counts the times that its server asked during this call, from 1. */
    round: z.int(),
    questions: z.array(z.strictObject({ ...ObservedQuestion.shape, ...Treatment.shape })),
    /** Further calls that were open: the server did not say which it meant. */
    also: z.array(z.string()).optional(),
    /** Under this id it is put to somebody outside, in this way; `task`: out of that task. */
    question: z.string().optional(),
    name: z.string().optional(), // of the call, as published
    way: QuestionWay.optional(),
    task: z.string().optional(),
  }),
);

/** Its request is answered, the call is not over: it waits for a question or for a task, without a slot and without a deadline. */
export const CallSuspended = defineEvent(
  "call.suspended",
  z.strictObject({ call: z.string(), session: z.string(), question: z.string().optional(), task: z.string().optional() }),
);

/** The answers are on their way to the server: the call goes on. With `deadline` it is a request of its own, under the same id. */
export const CallResumed = defineEvent(
  "call.resumed",
  z.strictObject({
    call: z.string(),
    session: z.string(),
    capability: Capability,
    source: QuestionSource,
    answers: z.array(GivenAnswer),
    also: z.array(z.string()).optional(),
    /** Counts the requests of this call, from 1. */
    leg: z.int().optional(),
    deadline: z.int().optional(),
    question: z.string().optional(),
    /** Somebody waits for the outcome. */
    claimed: z.literal(true).optional(),
  }),
);

/** Somebody waits for this call again. */
export const CallClaimed = defineEvent("call.claimed", z.strictObject({ call: z.string() }));

export const serverLegEvents = [CallQuestioned, CallSuspended, CallResumed] as const;
export type ServerLegEvent = EventOf<(typeof serverLegEvents)[number]>;
export type ClaimedEvent = EventOf<typeof CallClaimed>;
