/** How a session's memory of people's decisions is folded. */
import type { ApprovalEvent } from "../../events/approval.ts";
import type { CallAnswered, CallRequested } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import { without } from "../server-rules.ts";
import type { Open, SessionState } from "../session-commands.ts";
import { queuedAs } from "../session-order.ts";
import type { Asking, History, People } from "./state.ts";

/** The newest are kept. */
const MAX_KEPT = 100;

type Data<T extends ApprovalEvent["type"]> = Extract<ApprovalEvent, { type: T }>["data"];

function remember(people: People, name: string, { round, roundUntil, failures, prior }: History): People["history"] {
  const others = without(people.history, name);
  if (round === undefined && failures === undefined) return others;
  const revised = round !== undefined && roundUntil !== undefined && { round, roundUntil };
  return { ...others, [name]: { ...revised, ...(failures !== undefined && prior && { failures, prior }) } };
}

/** What has to be kept of a call that waits for people. */
export function askingOf(requested: EventOf<typeof CallRequested>["data"]): { readonly asking?: Asking } {
  const { stage, approval, holdUntil = 0, name, tool, digest, timeoutMs, via, deliver, observed, narrow, taints } = requested;
  if (stage !== "asking" || approval === undefined) return {};
  const seen = { ...(observed && { observed }), ...(narrow && { narrow }), ...(taints && { taints }) };
  return { asking: { name, approval, holdUntil, tool, digest, timeoutMs, ...(via && { via }), ...(deliver && { deliver }), ...seen } };
}

export const evolvePeople = {
  "approval.requested": (state: SessionState, approval: Data<"approval.requested">): SessionState => ({
    ...state,
    people: { ...state.people, approvals: { ...state.people.approvals, [approval.id]: { ...approval, votes: [] } } },
  }),
  "approval.decided": (state: SessionState, { id, by, seat, verdict }: Data<"approval.decided">): SessionState => {
    const open = state.people.approvals[id];
    if (!open) return state;
    const votes = [...open.votes, { by, seat, verdict }];
    return { ...state, people: { ...state.people, approvals: { ...state.people.approvals, [id]: { ...open, votes } } } };
  },
  "approval.resolved": (state: SessionState, { id, outcome, until = 0 }: Data<"approval.resolved">): SessionState => {
    const { people } = state;
    const open = people.approvals[id];
    if (!open) return state;
    const { name, digest, round } = open;
    const waits = Object.values(state.open).some(({ asking }) => asking?.approval === id);
    const isSaid = outcome === "denied" || outcome === "revised";
    const untold = isSaid && !waits ? [...people.untold, { approval: id, name, digest, outcome, until }].slice(-MAX_KEPT) : people.untold;
    const known = people.history[name] ?? {};
    const { failures, prior } = outcome === "denied" ? {} : known;
    const failed = failures !== undefined && prior && { failures, prior };
    const history =
      outcome === "revised"
        ? remember(people, name, { ...failed, round, roundUntil: until })
        : outcome === "denied" || outcome === "approved"
          ? remember(people, name, { ...failed })
          : people.history;
    return { ...state, people: { ...people, approvals: without(people.approvals, id), untold, history } };
  },
  "grant.issued": (state: SessionState, grant: Data<"grant.issued">): SessionState => {
    const valid = state.people.grants.filter(({ expiresAt }) => expiresAt > grant.issuedAt);
    return { ...state, people: { ...state.people, grants: [...valid, grant].slice(-MAX_KEPT) } };
  },
  "grant.consumed": (state: SessionState, { approval, call, deadline }: Data<"grant.consumed">): SessionState => {
    const grant = state.people.grants.find((one) => one.approval === approval);
    const known = state.open[call];
    if (!grant || !known) return state;
    const { asking, ...open } = known;
    const covered = { covered: grant.rules };
    const queued = asking && deadline !== undefined ? queuedAs(asking, deadline) : open.queued;
    const waits = queued ? { queued: { ...queued, ...covered } } : asking && { asking };
    const grants = state.people.grants.filter((one) => one !== grant);
    return {
      ...state,
      open: { ...state.open, [call]: { ...open, approved: grant.name, ...waits } },
      people: { ...state.people, grants },
    };
  },
};

/** The end of a call that people had approved: whether it failed is shown the next time they are asked. */
export function withEnd(people: People, open: Open | undefined, { call, code, isError }: EventOf<typeof CallAnswered>["data"]): People {
  const name = open?.approved;
  if (name === undefined) return people;
  const { failures = 0, prior: _, ...known } = people.history[name] ?? {};
  const failure = code ?? (isError ? "tool_error" : undefined);
  return {
    ...people,
    history: remember(people, name, failure === undefined ? known : { ...known, failures: failures + 1, prior: { call, failure } }),
  };
}

/** A refusal has told what people said. */
export const withTold = (people: People, approval: string | undefined): People =>
  approval === undefined ? people : { ...people, untold: people.untold.filter((one) => one.approval !== approval) };
