/** What a session actor holds, what it is asked, and what it causes. */
import type { AdmittedEvent } from "../events/admitted.ts";
import type { ApprovalEvent, ApprovalOutcome, Channel, Vote } from "../events/approval.ts";
import type { CallAnswered, Capability, Certainty, ErrorCode, SessionCallEvent } from "../events/call.ts";
import type { CheckedEvent, ObservedEvent } from "../events/checked.ts";
import type { EventOf } from "../events/define.ts";
import type { Delivery, Via } from "../events/delivery.ts";
import type { ClaimedEvent } from "../events/leg.ts";
import type { Counted, LimitEvent } from "../events/limits.ts";
import type { Narrowing, Observed as Observations, Verdict } from "../events/policy.ts";
import type { Role, SessionEvent, Spoken } from "../events/session.ts";
import type { Asking, People } from "./approvals/state.ts";
import type { Checked, Checking } from "./checking.ts";
import type { Tell } from "./define.ts";
import type { Counts } from "./gates/counts.ts";
import type { Shown } from "./shown.ts";
import type { Taint, Taints } from "./taint.ts";
import type { WaitsCommand } from "./waits-commands.ts";

type WaitEvent = CheckedEvent | ObservedEvent | AdmittedEvent | ClaimedEvent;
export type SessionActorEvent = SessionCallEvent | WaitEvent | SessionEvent | LimitEvent | ApprovalEvent;

/** What it takes to send a call when its turn has come. */
export interface Queued {
  readonly name: string;
  readonly tool: string;
  readonly digest: string;
  readonly deadline: number;
  readonly via?: Via;
  readonly narrow?: Narrowing;
  readonly observed?: Observations;
  /** What its session will have read with it. */
  readonly taints?: Taints;
  /** People have approved it for these reasons. */
  readonly covered?: readonly string[];
}
export interface Open {
  readonly server: string;
  readonly capability: Capability;
  /** Its answer has no room for notices. */
  readonly native?: true;
  /** Nobody waits for it any more. */
  readonly unclaimed?: true;
  readonly counted?: Counted;
  /** Earlier calls come first. */
  readonly queued?: Queued;
  /** Hooks are being asked about it. */
  readonly checking?: Checking;
  /** It waits for people. */
  readonly asking?: Asking;
  /** People have approved it: its published name. */
  readonly approved?: string;
  /** It waits for an answer to its server's question, or goes on in the background. */
  readonly waits?: true;
  /** Its client follows it as this task. */
  readonly task?: string;
}
export interface SessionState {
  readonly agent: string;
  readonly client: string;
  readonly profile: string;
  readonly open: Readonly<Record<string, Open>>;
  /** Outcomes to announce with the next result. */
  readonly notices: readonly string[];
  /** What it has read. */
  readonly taint?: Taint;
  /** What people were asked, and what they said. */
  readonly people: People;
  /** What its list of tools depends on. */
  readonly shown: Shown;
  /** What its limits are judged by. */
  readonly counts: Counts;
  /** Who inherits what turns up late. */
  readonly heir?: string;
}
/** What the door found out about the original arguments before the turn. */
interface Observed {
  readonly digest: string;
  /** The arguments themselves cannot be accepted; the payload then holds them and the reason. */
  readonly refusal?: { readonly code: ErrorCode; readonly rule: string };
  readonly deliver?: Delivery;
  readonly observed?: Observations;
  readonly narrow?: Narrowing;
}
export type SessionCommand =
  | {
      readonly type: "open";
      readonly agent: string;
      readonly name: string;
      readonly client: string;
      readonly era: "legacy" | "modern" | "rest";
      readonly profile: string;
    }
  | { readonly type: "connect"; readonly connection: string; readonly payload?: unknown }
  | { readonly type: "disconnect"; readonly connection: string }
  | ({
      readonly type: "ask";
      readonly call: string;
      readonly name: string;
      readonly via?: Via;
      readonly native?: true;
      readonly key?: string;
      readonly keyDigest?: string;
      readonly timeoutMs: number;
      /** So many denials of the tool count against the agent, in all its sessions. */
      readonly denied?: number;
      /** Unguessable; given when people may have to be asked. */
      readonly approvalId?: string;
      /** The client hears progress, so that it waits longer. */
      readonly heard?: true;
      /** The client can ask its own person. */
      readonly client?: true;
      readonly payload?: unknown;
    } & Observed)
  | {
      readonly type: "settle";
      readonly call: string;
      readonly certainty: Certainty;
      readonly code?: ErrorCode;
      readonly isError?: boolean;
      readonly twin?: string;
      readonly since?: number;
      readonly reason?: string;
      readonly rule?: string;
      readonly resultDigest?: string;
    }
  | { readonly type: "resolved"; readonly call: string; readonly outcome?: "answered" | "applied" | "not_applied"; readonly by: string }
  /** The hooks have been asked; the rest as in `ask`. */
  | {
      readonly type: "consulted";
      readonly call: string;
      readonly verdicts: readonly Verdict[];
      /** What is known of rewritten arguments. */
      readonly rewritten?: { readonly digest: string; readonly observed: Observations; readonly deliver?: Delivery };
      /** The rewritten arguments cannot be accepted; the payload holds the reason. */
      readonly refusal?: { readonly code: ErrorCode; readonly rule: string };
      readonly denied?: number;
      readonly approvalId?: string;
      readonly heard?: true;
      readonly client?: true;
      readonly payload?: Checked;
    }
  /** The client is gone. */
  | { readonly type: "leave"; readonly call: string }
  /** The client wants it to stop. */
  | { readonly type: "cancel"; readonly call: string; readonly by: string }
  /** An answer verifiably was not written: what it told is announced once more. */
  | { readonly type: "undelivered"; readonly calls: readonly string[] }
  | { readonly type: "bequeath"; readonly to: string }
  | { readonly type: "inherit"; readonly from: string; readonly calls: readonly string[] }
  /** Its token has another profile now. */
  | { readonly type: "adopt"; readonly profile: string }
  /** It has found these tools, by their published names. */
  | { readonly type: "activate"; readonly names: readonly string[] }
  /** It was silent for longer than what it has found is kept. */
  | { readonly type: "forgetTools" }
  /** Its host, or an operator, says what was said in the conversation. `payload`: the text, scrubbed. */
  | { readonly type: "recordTurn"; readonly role: Role; readonly by: string; readonly payload: Spoken }
  | { readonly type: "wake"; readonly key: string }
  | { readonly type: "interrupt" }
  /** `payload`: the reason, and instructions for the agent. */
  | {
      readonly type: "vote";
      readonly approval: string;
      readonly by: string;
      readonly channel: Channel;
      readonly verdict: Vote;
      readonly payload?: unknown;
      /** Those of the call, redacted: for what is decided inside the turn. */
      readonly arguments?: unknown;
    }
  | WaitsCommand
  | { readonly type: "withdraw"; readonly approval: string; readonly by: string } // an operator takes the request back
  /** One call that waited hears what people said. */
  | {
      readonly type: "conclude";
      readonly call: string;
      readonly approval: string;
      readonly outcome: ApprovalOutcome;
      readonly payload?: unknown;
    };
export type SessionEffect =
  | Tell
  | { readonly type: "wake"; readonly key: string; readonly at: number }
  | { readonly type: "rest"; readonly key: string }
  | { readonly type: "consult"; readonly call: string; readonly hooks: readonly string[] }
  | ({ readonly type: "reply" } & EventOf<typeof CallAnswered>["data"])
  | {
      readonly type: "refuse";
      readonly call: string;
      readonly code: ErrorCode;
      readonly rule: string;
      readonly reason: string;
      readonly retryAfterMs?: number;
      readonly approval?: string;
    }
  /** Its request is answered with a question, or with a task; the call goes on under its own name. */
  | { readonly type: "park"; readonly call: string; readonly question?: string; readonly task?: string; readonly offered?: true }
  /** People are to hear of it. */
  | { readonly type: "askPeople"; readonly approval: string; readonly call: string; readonly seats: readonly string[] };
