/** The one decision about a server's question, from whatever source: declined, answered from defaults, put to somebody, or handed back to the agent. */
import type { Elicitation, ObservedQuestion, Responder, Treatment } from "../../events/elicitation.ts";

export interface Situation {
  readonly policy: Elicitation;
  /** Questions of the call before this one; of several calls, the most. */
  readonly attempts: number;
  /** The agent can be given the question as the result of its call. */
  readonly canHandBack: boolean;
  /** Who can be asked now, the preferred one first; `conversation` only where the server's rules name it. */
  readonly available: readonly Responder[];
}

const decline = (rule: string): Treatment => ({ treatment: "decline", rule });

/** People may decide for themselves; nothing else may. */
const isPerson = (responder: Responder | undefined): boolean => responder === "client" || responder === "operator";

export function treat(question: ObservedQuestion, { policy, attempts, canHandBack, available }: Situation): Treatment {
  const { mode, fields, limit, unreadable, sensitive, defaulted = [], covered } = question;
  if (policy.mode === "decline" || policy.mode === "off") return decline("mode");
  if (mode !== "form") return decline("not-a-form");
  if (attempts >= policy.maxPerCall) return decline("maxPerCall");
  if (limit !== undefined) return decline(limit);
  if (unreadable) return decline("unreadable");
  if (sensitive) return decline("sensitive");
  if (covered) return { treatment: "defaults", rule: "defaults" };
  if (policy.mode === "handback" && canHandBack) return { treatment: "handback", rule: "handback" };
  const responder = responderOf(policy.responder, available);
  const open = fields.filter(({ name }) => !defaulted.includes(name));
  const decisions = open.filter(({ decision }) => decision);
  if (!isPerson(responder)) {
    if (fields.length === 0) return decline("decision"); // a bare confirmation
    if (decisions.length > 0 && (decisions.length === open.length || decisions.some(({ required }) => required)))
      return decline("decision");
  }
  if (responder === undefined) return decline("no-responder");
  const isFree = open.some(({ type, decision }) => !decision && type !== "choice" && type !== "choices");
  if (responder === "conversation" && isFree) return decline("choices-only");
  const withheld = isPerson(responder) ? [] : decisions.map(({ name }) => name);
  return { treatment: "respond", rule: "responder", responder, ...(withheld.length > 0 && { withheld }) };
}

/** A named one that is not there is nobody: defaults only. Blank is not a name. */
function responderOf(named: string | undefined, available: readonly Responder[]): Responder | undefined {
  if (named === undefined || named.trim() === "") return available.find((one) => one !== "conversation");
  return available.find((one) => one === named || one === named.toLowerCase());
}
