/** The form of every gate: a pure function that says what it thinks of one call. */
import type { Capability } from "../../events/call.ts";
import type { Observed, Profile, Risk, Scope, Verdict } from "../../events/policy.ts";
import type { Catalogue, Offer, ServerEntry } from "../catalogue.ts";
import type { SessionState } from "../session-commands.ts";

/** A call that may be made at all, and what is known of it. */
export interface Judged {
  readonly call: string;
  /** As published. */
  readonly name: string;
  readonly offer: Offer;
  readonly server: ServerEntry;
  readonly capability: Capability;
  readonly risk: Risk;
  readonly observed: Observed;
  /** Of the arguments. */
  readonly digest: string;
}
export interface GateContext {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly scope: Scope;
  readonly state: SessionState;
  readonly now: number;
  /** So many denials of the tool count against the agent; none for a call that people have approved. */
  readonly denied?: number | undefined;
  /** What was said so far. */
  readonly before: readonly Verdict[];
}
/** Nothing to say: no verdicts. Cheap questions come first; what counts something comes last and never before a refusal. */
export type Gate = (call: Judged, context: GateContext) => readonly Verdict[];
/** One that need not know what else the session did. */
export type LoneGate = (call: Judged, context: Omit<GateContext, "state" | "denied" | "now">) => readonly Verdict[];
/** One that looks at nothing but the arguments. */
export type ArgumentGate = (
  call: Pick<Judged, "offer" | "server" | "observed">,
  context: Pick<GateContext, "catalogue">,
) => readonly Verdict[];
