/** Calls that wait while the rules change: from then on they are judged by what their arguments come to now. */
import { CallObserved, type ObservedEvent } from "../events/checked.ts";
import type { Observed } from "../events/policy.ts";
import type { Open, SessionState } from "./session-commands.ts";

const known = ({ checking, asking, queued }: Open) => checking ?? asking ?? queued;

/** Whoever was not asked at one change is not asked by the next one either, as long as it is about the call. */
function stillUnasked({ hooks = [], unasked = [] }: Observed, before: Observed): Pick<Observed, "unasked"> {
  const all = hooks.filter((hook) => unasked.includes(hook) || before.unasked?.includes(hook));
  return all.length > 0 ? { unasked: all } : {};
}

export function observed(state: SessionState, { call, observed: now }: { readonly call: string; readonly observed: Observed }) {
  const open = state.open[call];
  const waits = open && known(open);
  if (!waits) return [];
  const before = waits.observed ?? {};
  const { unasked: _, ...found } = now;
  const next = { ...found, ...stillUnasked(now, before) };
  return JSON.stringify(next) === JSON.stringify(before) ? [] : [CallObserved({ call, observed: next })];
}

export const evolveObserved = {
  "call.observed": (state: SessionState, { call, observed: now }: ObservedEvent["data"]): SessionState => {
    const open = state.open[call];
    if (!open) return state;
    const { checking, asking, queued, ...rest } = open;
    const waits = {
      ...(checking && { checking: { ...checking, observed: now } }),
      ...(asking && { asking: { ...asking, observed: now } }),
      ...(queued && { queued: { ...queued, observed: now } }),
    };
    return { ...state, open: { ...state.open, [call]: { ...rest, ...waits } } };
  },
};
