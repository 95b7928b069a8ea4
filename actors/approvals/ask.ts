/** Whether people have to be asked about a call, have been asked already, or have decided. */
import { ApprovalRequested } from "../../events/approval.ts";
import type { Profile, Verdict } from "../../events/policy.ts";
import { isAt, placeOf } from "../catalogue.ts";
import type { TurnContext } from "../define.ts";
import type { Judged } from "../gates/gate.ts";
import type { SessionActorEvent, SessionCommand, SessionState } from "../session-commands.ts";
import type { Grant, OpenApproval } from "./state.ts";
import { isOver, rosterOf } from "./votes.ts";

/** So long a request waits for people, when the profile does not say: by whether the client hears progress. */
const HOLD_MS = { heard: 45_000, unheard: 15_000 };

/** What the door says of whoever asks. */
type Asked = Pick<Extract<SessionCommand, { readonly type: "ask" }>, "approvalId" | "heard" | "client" | "payload">;

const covers = ({ rules }: Pick<Grant, "rules">, asks: readonly Verdict[]): boolean => asks.every(({ rule }) => rules.includes(rule));

const rulesOf = ({ reasons }: OpenApproval) => ({ rules: reasons.map(({ rule }) => rule) });

/** What becomes of a call that people have to decide on. */
export type Decision =
  /** They have approved the identical call. */
  | { readonly kind: "granted"; readonly approval: string }
  /** They have said no to it, and nobody was told. */
  | { readonly kind: "told"; readonly approval: string; readonly outcome: "denied" | "revised" }
  /** Nobody can be asked. */
  | { readonly kind: "nobody" }
  | { readonly kind: "asking"; readonly approval: string; readonly holdUntil: number; readonly events: readonly SessionActorEvent[] };

export function decideAsked(
  state: SessionState,
  { call, name, offer, server, risk, digest, observed }: Judged,
  { approvals: policy }: Profile,
  asks: readonly Verdict[],
  { approvalId, heard, client, payload }: Asked,
  { now }: TurnContext,
): Decision {
  const { approvals, grants, untold, history } = state.people;
  const isSame = (one: { readonly name: string; readonly digest: string }) => one.name === name && one.digest === digest;
  const grant = grants.find((one) => isSame(one) && isAt(server, one.serverId) && !isOver(one, now) && covers(one, asks));
  if (grant) return { kind: "granted", approval: grant.approval };
  const said = untold.find((one) => isSame(one) && one.until > now);
  if (said) return { kind: "told", approval: said.approval, outcome: said.outcome };
  const holdUntil = now + (policy.holdMs ?? (heard ? HOLD_MS.heard : HOLD_MS.unheard));
  const isPending = (one: OpenApproval) => isSame(one) && isAt(server, one.serverId) && !isOver(one, now) && covers(rulesOf(one), asks);
  const pending = Object.values(approvals).find(isPending);
  if (pending) return { kind: "asking", approval: pending.id, holdUntil, events: [] };
  const roster = rosterOf(policy, risk, client === true);
  if (!roster || approvalId === undefined) return { kind: "nobody" };
  const { round = 0, roundUntil = 0, failures = 0, prior } = history[name] ?? {};
  const requested = ApprovalRequested(
    {
      id: approvalId,
      call,
      name,
      server: offer.server,
      tool: offer.tool,
      ...(observed.operation !== undefined && { operation: observed.operation }),
      serverId: placeOf(server),
      digest,
      reasons: [...asks],
      risk,
      strategy: policy.strategy,
      seats: [...roster.seats],
      needed: roster.needed,
      createdAt: now,
      expiresAt: now + policy.timeoutMs,
      grantTtlMs: policy.grantTtlMs,
      attempt: failures + 1,
      ...(prior && { prior }),
      round: roundUntil > now ? round + 1 : 1,
      maxRounds: policy.maxRounds,
    },
    payload,
  );
  return { kind: "asking", approval: approvalId, holdUntil, events: [requested] };
}
