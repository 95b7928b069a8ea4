/** From a request to its admission or refusal: every gate, in order, inside one turn. */
import { CallRefused, CallRequested, type SessionCallEvent } from "../events/call.ts";
import type { Verdict } from "../events/policy.ts";
import { type Offer, serverOf } from "./catalogue.ts";
import type { TurnContext } from "./define.ts";
import { judge, judgeCounting } from "./gates/pipeline.ts";
import { riskOf } from "./gates/risk.ts";
import { authorise } from "./policy/allow.ts";
import { profileOf } from "./policy/defaults.ts";
import type { SessionCommand, SessionState } from "./session-commands.ts";
import { activationByCall } from "./shown.ts";

type Ask = Extract<SessionCommand, { readonly type: "ask" }>;

/** The payload of a refusal: what was asked for, and why not, in words that may repeat the agent's. */
export interface Refused {
  readonly arguments: unknown;
  readonly reason: string;
}

/** What an agent is told; which rule it was is for the operator. */
const PUBLIC: Readonly<Record<NonNullable<Verdict["code"]>, string>> = {
  refused: "the policy does not allow it here",
  invalid_arguments: "they do not fit what the tool takes",
  rate_limited: "the limit of calls is reached",
};

export function admitCall(state: SessionState, command: Ask, turn: TurnContext): SessionCallEvent[] {
  const { type: _t, payload, refusal, name, observed = {}, ...asked } = command;
  const { profile: profileName, shown } = state;
  const { catalogue, now } = turn;
  const via = asked.via && { via: asked.via };
  if (refusal) return [CallRefused({ call: asked.call, name, ...refusal, ...via }, payload)];
  const verdict = authorise(catalogue, name, { profile: profileName, via: asked.via });
  const refuse = (
    code: Verdict["code"] | "tool_not_found" | "not_connected",
    rule: string,
    reason: string,
    verdicts: readonly Verdict[] = [],
  ) => {
    const told: Refused = { arguments: payload ?? null, reason };
    const said = verdicts.length > 0 && { verdicts: [...verdicts] };
    return [CallRefused({ call: asked.call, name, code: code ?? "refused", rule, ...via, ...said }, told)];
  };
  if (!verdict.allowed) return refuse(verdict.code, verdict.rule, verdict.reason);
  const { offer, capability, rule } = verdict;
  const server = serverOf(catalogue, offer.server);
  if (!server) return refuse("tool_not_found", "unknown-tool", "no such tool is offered here");
  const profile = profileOf(catalogue.policy, profileName);
  const judged = {
    call: asked.call,
    name,
    offer,
    server,
    capability,
    risk: riskOf(server, offer, capability),
    observed,
    digest: asked.digest,
  };
  const context = { catalogue, profile, state, now };
  const first = judge(judged, context);
  const { verdicts, denied, asks } = first.denied ? first : judgeCounting(judged, context, first.verdicts);
  if (denied)
    return refuse(
      denied.code,
      denied.rule,
      denied.reason !== undefined && denied.code === "invalid_arguments" ? denied.reason : PUBLIC[denied.code ?? "refused"],
      verdicts,
    );
  if (asks.length > 0) return refuse("refused", "no_approver", "a person would have to approve it, and nobody can", verdicts);
  const activates = activationOf(turn, profileName, shown, offer, asked.via);
  const said = verdicts.length > 0 && { verdicts: [...verdicts] };
  return [CallRequested({ ...asked, name, server: offer.server, tool: offer.tool, capability, rule, ...activates, ...said }, payload)];
}

function activationOf({ catalogue }: TurnContext, profile: string, shown: SessionState["shown"], offer: Offer, via: string | undefined) {
  const joins = via ? undefined : activationByCall(catalogue, profile, shown, offer);
  return joins && { activates: { hash: offer.hash, ...(joins.drops.length > 0 && { drops: [...joins.drops] }) } };
}
