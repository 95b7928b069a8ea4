/** What is counted against an agent's limits, and what is given back: everything that the limits know stands in these facts. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";

/** What an admitted call counts for, and the time of its turn. Left out where its profile counts nothing. */
export const Counted = z.strictObject({
  /** Milliseconds since the epoch. */
  at: z.int(),
  /** Towards the calls of an hour. */
  rate: z.literal(true).optional(),
  /** Towards calls that go round in circles. */
  spin: z.literal(true).optional(),
  /** It has the one call of a tool that a session may call once. */
  once: z.literal(true).optional(),
  /** It has a place in the order of its session's calls. */
  order: z.literal(true).optional(),
});
export type Counted = z.output<typeof Counted>;

/**
 * The policy, or a person, said no to a tool: such an answer counts until its time is over. `tool`: as published, with `:operation` where it has several.
 * `server`: of its server's incarnation; logs from before denials were counted by agent do not say it.
 */
export const Denial = z.strictObject({ tool: z.string(), at: z.int(), until: z.int(), server: z.string().optional() });
export type Denial = z.output<typeof Denial>;

/** An agent was denied a tool, in whichever of its sessions: the ledger of denials. */
export const DenialCounted = defineEvent("denial.counted", Denial.extend({ agent: z.string(), server: z.string() }));

/** What an agent was denied counts no longer. Without `agent`: what a session was, from before denials were counted by agent. */
export const DenialsForgiven = defineEvent("denials.forgiven", z.strictObject({ by: z.string(), agent: z.string().optional() }));

/** A call that had the one call of its tool turned out to have done nothing: the tool may be called again. */
export const OnceReleased = defineEvent("once.released", z.strictObject({ call: z.string() }));

export const limitEvents = [DenialCounted, DenialsForgiven, OnceReleased] as const;
/** Of a session. */
export type LimitEvent = EventOf<typeof DenialsForgiven | typeof OnceReleased>;
/** Of the ledger of denials. */
export type DenialEvent = EventOf<typeof DenialCounted | typeof DenialsForgiven>;
