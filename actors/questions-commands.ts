/** What the ledger of questions holds, what it is asked, and what it causes. */
import type { GivenAnswer, ObservedQuestion, QuestionSource, QuestionWay, Treatment } from "../events/elicitation.ts";
import type { Tell } from "./define.ts";

export interface OpenQuestion {
  readonly id: string;
  readonly call: string;
  readonly session: string;
  readonly agent: string;
  readonly server: string;
  readonly way: QuestionWay;
  readonly source: QuestionSource;
  readonly task?: string | undefined;
  readonly serverId: string;
  readonly round: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}
export interface QuestionsState {
  readonly open: Readonly<Record<string, OpenQuestion>>;
}

interface Given {
  readonly id: string;
  /** `agent:NAME`, `client:NAME`, an operator, `cli:UID`. */
  readonly by: string;
  /** What goes to the server, by names. */
  readonly answers: readonly GivenAnswer[];
  /** Of the leg that takes it. */
  readonly timeoutMs: number;
  readonly claimed?: true;
}
export type QuestionsCommand =
  | {
      readonly type: "open";
      readonly id: string;
      readonly call: string;
      readonly session: string;
      readonly agent: string;
      readonly server: string;
      readonly tool: string;
      /** Of the call, as published. */
      readonly name?: string;
      readonly way: QuestionWay;
      readonly source: QuestionSource;
      readonly task?: string;
      readonly round: number;
      readonly questions: readonly (ObservedQuestion & Treatment)[];
      /** Of the call, for an operator's answer. */
      readonly deadline: number;
      readonly payload?: unknown;
    }
  /** `digest`: keyed, over the values. */
  | ({ readonly type: "answer"; readonly digest: string } & Given)
  | ({ readonly type: "decline" } & Given)
  | { readonly type: "wake"; readonly key: string }
  | { readonly type: "lapse"; readonly id: string; readonly reason: string }
  /** A server has forgotten what was answered already. */
  | ({ readonly type: "forgotten"; readonly reason: string } & Pick<
      OpenQuestion,
      "id" | "call" | "session" | "agent" | "server" | "way" | "source"
    >)
  | { readonly type: "cancel"; readonly id: string; readonly reason: string }
  /** The call that waits is over. */
  | { readonly type: "drop"; readonly call: string; readonly reason: string }
  /** The configuration has changed. */
  | { readonly type: "review" }
  | { readonly type: "interrupt" };
/** What was kept for its answer is needed no more, and who waits for it in this process hears. */
export interface QuestionSettled {
  readonly type: "questionSettled";
  readonly id: string;
  readonly way: QuestionWay;
  readonly source: QuestionSource;
  readonly task?: string;
  readonly how: "answered" | "declined" | "expired" | "lapsed" | "cancelled";
}
export type QuestionsEffect =
  | Tell
  | { readonly type: "wake"; readonly key: string; readonly at: number }
  | { readonly type: "rest"; readonly key: string }
  | QuestionSettled;
