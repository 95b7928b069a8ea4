/** What a server's actor is asked about calls that their server interrupts. */
import type { Certainty, ErrorCode } from "../../events/call.ts";
import type { GivenAnswer, ObservedQuestion, QuestionSource, Responder } from "../../events/elicitation.ts";

/** What a server asked, as the door of its answers has seen it. */
export interface Questioned {
  readonly type: "questioned";
  /** Those that were open; the first is the one that goes on. */
  readonly calls: readonly string[];
  readonly source: QuestionSource;
  readonly questions: readonly ObservedQuestion[];
  /** Who could answer now, the preferred one first. */
  readonly available: readonly Responder[];
  /** The agent can answer a question that it gets as a result. */
  readonly canHandBack: boolean;
  /** The client's own person is asked by ending the request (2026-07-28). */
  readonly asksClientByResult?: true;
  /** Unguessable: for a question that is put to somebody outside. */
  readonly questionId: string;
  /** Of the call, as published. */
  readonly name?: string;
  readonly task?: string;
  /** The name of a bound that the round as a whole breaks: the call ends. */
  readonly limit?: string;
  /** The messages, by key. */
  readonly payload?: unknown;
}
export type LegCommand =
  | Questioned
  /** The answers of a round are there. `timeoutMs`: of the leg that takes them. */
  | {
      readonly type: "responded";
      readonly calls: readonly string[];
      readonly source: QuestionSource;
      readonly answers: readonly GivenAnswer[];
      readonly timeoutMs: number;
    }
  /** There was no room in the ledger. */
  | { readonly type: "turnedDown"; readonly call: string; readonly limit: string }
  | { readonly type: "suspend"; readonly call: string; readonly question?: string; readonly task?: string }
  | {
      readonly type: "resume";
      readonly call: string;
      readonly question: string;
      readonly source: QuestionSource;
      readonly answers: readonly GivenAnswer[];
      readonly timeoutMs: number;
      readonly claimed?: true;
    }
  /** What it waited for will not come. */
  | {
      readonly type: "abandon";
      readonly call: string;
      readonly certainty: Certainty;
      readonly code: ErrorCode;
      readonly reason: string;
    };
