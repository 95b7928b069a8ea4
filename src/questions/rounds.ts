/** Rounds of questions that have no answer yet, as this process holds them: what was asked, word for word, and where the answers go. */
import { MAX_MESSAGE } from "../../actors/elicit/form.ts";
import type { AskedQuestion } from "../../actors/elicit/notes.ts";
import { cut } from "../../actors/elicit/quote.ts";
import type { QuestionSource } from "../../events/elicitation.ts";
import type { InputRequest, InputResponse } from "../mcp/downstream/downstream.ts";

export type Responses = Readonly<Record<string, InputResponse>>;

export interface Round {
  readonly source: QuestionSource;
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly requestState?: string;
  /** Under which it is put to somebody outside, if it is. */
  readonly questionId: string;
  /** All calls it may belong to. */
  readonly calls: readonly string[];
  /** The server has withdrawn it, or nobody waits for the call. */
  readonly signal: AbortSignal;
  /** Where the answers go when not with the next request of the call. */
  readonly reply?: (responses: Responses, records: readonly AskedQuestion[]) => void;
}
/** By the call that it is about, until it is decided what becomes of the round and whoever answers it has taken it. */
export type Rounds = Map<string, Round>;

const MAX_REQUESTS = 16;
const MAX_STATE_BYTES = 262_144;
const MAX_KEY_BYTES = 256;

/** The name of a bound that a round as a whole breaks. `redact`: a key that holds a secret could not be written down. */
export function brokenLimit(
  { requests, requestState = "" }: Pick<Round, "requests" | "requestState">,
  redact: (text: string) => string,
): string | undefined {
  const keys = Object.keys(requests);
  if (keys.length > MAX_REQUESTS) return "requests-per-round";
  if (Buffer.byteLength(requestState) > MAX_STATE_BYTES) return "request-state-bytes";
  return keys.some((key) => Buffer.byteLength(key) > MAX_KEY_BYTES || redact(key) !== key) ? "request-key" : undefined;
}

/** What is asked, by key, as it may be told: without secrets first, since a cut one would not be known any more. */
export const messagesOf = (requests: Round["requests"], redact: (text: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(requests).map(([key, { params }]) => {
      const { message } = params;
      return [key, typeof message === "string" ? cut(redact(message), MAX_MESSAGE) : ""];
    }),
  );
