/** What a server actor holds, what it is asked, and what it causes. */
import type { CallQueued, Capability, Certainty, ErrorCode, Flight } from "../events/call.ts";
import type { EventOf } from "../events/define.ts";
import type { Delivery } from "../events/delivery.ts";
import type { CallQuestioned } from "../events/leg.ts";
import type { Observed, Scope } from "../events/policy.ts";
import type { ValueSource } from "../events/repeat.ts";
import type { Tell } from "./define.ts";
import type { LegCommand } from "./legs/commands.ts";
import type { Doubt } from "./server-rules.ts";

/** `name` is the published one, by which it is judged again. */
export type Waiting = Flight &
  Partial<Omit<EventOf<typeof CallQueued>["data"], keyof Flight | "name" | "reason">> & { readonly name: string };
export type InFlight = Flight & {
  /** What repeats of it added to its arguments, by name. */
  readonly filled?: Readonly<Record<string, string>>;
  /** Who wants it to stop. */
  readonly cancelling?: string;
  /** What its server asked and has no answer to yet. */
  readonly asked?: EventOf<typeof CallQuestioned>["data"];
  /** How often its server asked, and how many questions that were. */
  readonly rounds?: number;
  readonly questions?: number;
  /** How many requests it took so far, when more than one. */
  readonly legs?: number;
  /** What it waits for, without a request of its own. */
  readonly question?: string;
  readonly task?: string;
};
/** An argument that a tool misses and whose value is known. */
export interface Fill {
  readonly field: string;
  readonly source: ValueSource;
  readonly value: string;
}
/** By what a call is judged before it is sent once more. */
export interface JudgedAgain {
  readonly scope: Scope;
  /** Of the arguments as they would be sent; what hooks are asked about is left out. */
  readonly observed?: Observed;
}
export interface ServerState {
  readonly id: string;
  readonly connected: boolean;
  readonly inFlight: Readonly<Record<string, InFlight>>;
  /** Calls that wait for a question or a task. */
  readonly suspended: Readonly<Record<string, InFlight>>;
  readonly waiting: readonly Waiting[];
  readonly inDoubt: Readonly<Record<string, Doubt>>;
}

/** A call that the session admitted. `name` is the published one. */
export interface Dispatch extends Omit<Flight, "deadline" | "twin"> {
  readonly type: "dispatch";
  readonly name: string;
  readonly timeoutMs: number;
  /** By which it is judged again when it has waited. */
  readonly scope?: Scope;
  readonly operation?: string;
  /** People have approved it for these rules. */
  readonly covered?: readonly string[];
  readonly deliver?: Delivery;
  readonly payload?: unknown;
}
export type ServerCommand =
  | Dispatch
  | {
      readonly type: "return";
      readonly call: string;
      readonly certainty: Certainty;
      readonly code?: ErrorCode;
      readonly isError?: boolean;
      readonly reason?: string;
      /** Keyed, of what the agent will read. */
      readonly resultDigest?: string;
      /** The call would go through with it. */
      readonly fill?: Fill;
      /** Given with it. */
      readonly again?: JudgedAgain;
      /** It went on as a task, which ended so. */
      readonly task?: { readonly id: string; readonly status: "completed" | "failed" | "cancelled" | "lost" };
      readonly payload?: unknown;
    }
  /** The rules have changed: by what the call is judged now, if it waits here. */
  | ({ readonly type: "observe"; readonly call: string } & JudgedAgain)
  | LegCommand
  | { readonly type: "cancel"; readonly call: string; readonly by: string }
  | {
      readonly type: "resolve";
      readonly call: string;
      readonly outcome: "applied" | "not_applied" | "answered";
      readonly by: string;
      readonly payload?: unknown;
    }
  | { readonly type: "interrupt" }
  | { readonly type: "wake"; readonly key: string }
  | {
      readonly type: "connected";
      readonly id: string;
      readonly transport: string;
      readonly protocolVersion: string;
      readonly era: "legacy" | "modern";
      readonly eraGuessed?: true;
      readonly implementation: string;
    }
  | { readonly type: "disconnected"; readonly reason: string }
  /** `code`: what becomes of the calls that wait; `not_connected` unless it says otherwise. */
  | { readonly type: "unreachable"; readonly reason: string; readonly code?: "auth_required" };
export type ServerEffect =
  | Tell
  | {
      readonly type: "invoke";
      readonly call: string;
      readonly session: string;
      readonly server: string;
      readonly tool: string;
      readonly capability: Capability;
      readonly deadline: number;
      /** Of a repeat: sent beside the arguments that the agent gave. */
      readonly filled?: Readonly<Record<string, string>>;
      /** Counts the requests of a call that its server interrupted; the first has none. */
      readonly leg?: number;
    }
  /** A round of questions is to be answered as it was treated. */
  | {
      readonly type: "respond";
      readonly call: string;
      readonly session: string;
      readonly server: string;
      readonly asked: EventOf<typeof CallQuestioned>["data"];
    }
  | { readonly type: "cancel"; readonly call: string }
  | { readonly type: "connect"; readonly server: string }
  | { readonly type: "wake"; readonly at: number; readonly key: string }
  /** The wake-up call of this key is not needed any more. */
  | { readonly type: "rest"; readonly key: string };

/** One leg of a call is to go out. */
export type Invoke = Extract<ServerEffect, { readonly type: "invoke" }>;
