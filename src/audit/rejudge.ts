/** One recorded call before the same pure functions as then, with what was observed then, under another catalogue. */
import type { Catalogue } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { profileOf } from "../../actors/policy/defaults.ts";
import { Session } from "../../actors/session.ts";
import type { SessionCommand, SessionState } from "../../actors/session-commands.ts";
import type { Via } from "../../events/delivery.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { Hook, Observed } from "../../events/policy.ts";
import { markerIn } from "../secrets/marker.ts";
import { type Admission, askedNobody, isByLimit, NOBODY, type Said, saidBy } from "./outcome.ts";
import { type Arguments, factsOf, type Recorded } from "./recorded-facts.ts";
import { hooksFor, hookVerdictsIn } from "./recorded-hooks.ts";

export type Asking = Extract<SessionCommand, { readonly type: "ask" }>;
export interface AskedCall {
  readonly command: Asking;
  readonly admission: Admission & Envelope;
  /** As it was stored; undefined when it is erased. */
  readonly payload: () => unknown;
  /** By the hash of a definition. */
  readonly schemaOf: (hash: string) => Arguments | undefined;
}
export interface Then {
  readonly state: SessionState;
  readonly before: Catalogue;
  readonly after: Catalogue;
}
/** It depends on what is not known any more. */
export const UNKNOWN = "unknown";
export interface Rejudged {
  readonly was: Said;
  readonly now: Said | typeof UNKNOWN;
  /** To be asked now, on top of that. */
  readonly hooks: readonly Hook[];
  /** Hooks were asked then, if there were any. */
  readonly wereAsked: boolean;
}

/** What unwraps another call before it is judged. */
const WRAPPERS: Readonly<Record<Via, string>> = { invoke_tool: "mcp_invoke_tool", get_prompt: "mcp_get_prompt" };
const wrappers: ReadonlySet<string> = new Set(Object.values(WRAPPERS));
const hides = (text: string): boolean => markerIn(text) !== undefined;

export function judgeAgain(asked: AskedCall, then: Then): Rejudged {
  const { command, admission } = asked;
  const was = saidBy(admission);
  const wereAsked = was.outcome !== "refused" || hookVerdictsIn(admission).length > 0;
  const judged = (now: Rejudged["now"], hooks: readonly Hook[] = []): Rejudged => ({ was, now, hooks, wereAsked });
  if (command.refusal || isByLimit(admission)) return judged(was);
  const { name, via } = command;
  const { state, before, after } = then;
  const { agent, profile, client } = state;
  const scope = { profile, client, narrow: command.narrow };
  const wrapper = via && authorise(after, WRAPPERS[via], scope);
  if (wrapper && !wrapper.allowed) return judged({ outcome: "refused", rule: wrapper.rule });
  const visible = authorise(after, name, { ...scope, via });
  if (!visible.allowed) return judged({ outcome: "refused", rule: visible.rule });
  if (wrappers.has(name)) return judged(UNKNOWN); // what it leads to was never looked at
  const { offer } = visible;
  const recorded: Recorded = {
    offer,
    agent,
    observed: command.observed ?? {},
    wasObserved: authorise(before, name, { ...scope, via }).allowed,
    arguments: () => argumentsIn(admission, asked.payload()),
    schema: () => asked.schemaOf(offer.hash),
  };
  const { known, doubts } = factsOf(recorded, before, after);
  const [first, ...others] = [known, ...doubts].map((observed) => decided(asked, observed, then));
  const now = first && others.every(({ outcome }) => outcome === first.outcome) ? first : UNKNOWN;
  const variables = () => {
    const args = recorded.arguments();
    return args && { ...args, args, tool: offer.tool, name, server: offer.server, agent };
  };
  return judged(now, hooksFor(after.policy, { name, variables, hides }));
}

function decided({ command, admission }: AskedCall, observed: Observed, { state, before, after }: Then): Said {
  const turn = { now: admission.at, self: admission.stream, id: (prefix: string) => `${prefix}_again`, catalogue: after };
  const [again] = Session.decide.ask(state, { ...command, observed }, turn);
  const made = again as Admission;
  const wants = askedNobody(made);
  if (wants === undefined) return saidBy(made);
  const approversOf = ({ policy }: Catalogue) => profileOf(policy, state.profile).approvals.approvers;
  const approvers = approversOf(after);
  const wasNobody = askedNobody(admission) !== undefined && approvers.join("\n") === approversOf(before).join("\n");
  return approvers.length === 0 || wasNobody ? { outcome: "refused", rule: NOBODY } : { outcome: "asked", rule: wants };
}

function argumentsIn({ type }: Admission, payload: unknown): Arguments | undefined {
  const value = type === "call.refused" ? (payload as { arguments?: unknown } | undefined)?.arguments : payload;
  return typeof value === "object" && value !== null ? (value as Arguments) : undefined;
}
