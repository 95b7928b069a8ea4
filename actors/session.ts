/** One agent's session: what it asked for, whether it may, what it still waits for, and what it has not been told yet. */
import { CallUnclaimed } from "../events/call.ts";
import { OnceReleased } from "../events/limits.ts";
import {
  SessionBequeathed,
  SessionConnected,
  SessionDisconnected,
  SessionInherited,
  SessionOpened,
  SessionProfiled,
  ToolsActivated,
  ToolsDeactivated,
  TurnRecorded,
} from "../events/session.ts";
import { nameOf, sessionAddress } from "./address.ts";
import { askingOf, evolvePeople, withEnd, withTold } from "./approvals/evolve.ts";
import { holdKey } from "./approvals/keys.ts";
import { reactPeople } from "./approvals/react.ts";
import { NOBODY_ASKED } from "./approvals/state.ts";
import { defineActor } from "./define.ts";
import { NOTHING_COUNTED, withAnswered, withReleased, withRequested } from "./gates/counts.ts";
import { tellDenial } from "./gates/denials.ts";
import { authorise } from "./policy/allow.ts";
import { without } from "./server-rules.ts";
import { admitCall, type Refused } from "./session-admission.ts";
import { decideApprovals, wakePeople } from "./session-approvals.ts";
import { checkingOf, consulted, evolveChecks, reactChecks } from "./session-checks.ts";
import type { SessionActorEvent, SessionCommand, SessionEffect, SessionState } from "./session-commands.ts";
import { reactRequested } from "./session-dispatch.ts";
import { answer, isAnnounced, type Unsent } from "./session-end.ts";
import { decideLeaving } from "./session-leaving.ts";
import { evolveObserved } from "./session-observed.ts";
import { ORDER_KEY, queuedOf, queueLength, release, wakeQueued } from "./session-order.ts";
import { decideWaits, evolveWaits, noted, reactEnd, reactWaits } from "./session-waits.ts";
import { activation, NOTHING_SHOWN, withActivated, withRecent } from "./shown.ts";
import { withTaint } from "./taint.ts";

export const Session = defineActor<SessionState, SessionCommand, SessionActorEvent, SessionEffect>({
  kind: "session",
  shape: 8,
  initialState: {
    agent: "",
    client: "",
    profile: "",
    open: {},
    notices: [],
    people: NOBODY_ASKED,
    shown: NOTHING_SHOWN,
    counts: NOTHING_COUNTED,
  },
  decide: {
    open: ({ agent }, { type: _, ...opening }) => (agent === "" ? [SessionOpened(opening)] : []),
    connect: (_, { connection, payload }) => [SessionConnected({ connection }, payload)],
    disconnect: (_, { connection }) => [SessionDisconnected({ connection })],
    ask: admitCall,
    consulted,
    settle: (state, { type: _, ...outcome }, turn) => {
      const open = state.open[outcome.call];
      const frees = open?.counted?.order && outcome.certainty !== "not_applied";
      return [...answer(state, outcome), ...(frees ? release(state, without(state.open, outcome.call), turn) : [])];
    },
    ...decideApprovals,
    wake: (state, { key }, turn) => wakePeople(state, key, turn) ?? wakeQueued(state, key, turn),
    resolved: (state, { call, outcome, by }) => {
      const isHolder = outcome === "not_applied" && Object.values(state.counts.once).includes(call);
      const released = isHolder ? [OnceReleased({ call })] : [];
      if (by.startsWith("agent:")) return released; // it knows
      return [
        ...released,
        CallUnclaimed({ call, cancel: false }),
        ...(state.heir ? [SessionBequeathed({ to: state.heir, calls: [call] })] : []),
      ];
    },
    ...decideLeaving,
    ...decideWaits,
    undelivered: (_, { calls }) => calls.map((missed) => CallUnclaimed({ call: missed, cancel: false })),
    bequeath: ({ notices, heir }, { to }) => (heir === to ? [] : [SessionBequeathed({ to, calls: [...notices] })]),
    inherit: ({ heir }, { from, calls }) => {
      if (calls.length === 0) return [];
      const passedOn = heir === undefined ? [] : [SessionBequeathed({ to: heir, calls: [...calls] })];
      return [SessionInherited({ from, calls: [...calls] }), ...passedOn];
    },
    adopt: (state, { profile }) => (state.agent === "" || state.profile === profile ? [] : [SessionProfiled({ profile })]),
    activate: ({ profile, client, shown }, { names }, { catalogue }) => {
      const scope = { profile, client };
      const offers = names.flatMap((name) => {
        const verdict = authorise(catalogue, name, scope);
        return verdict.allowed ? [verdict.offer] : [];
      });
      const joins = activation(catalogue, scope, shown, offers);
      return joins ? [ToolsActivated({ tools: [...joins.tools], ...(joins.drops.length > 0 && { drops: [...joins.drops] }) })] : [];
    },
    forgetTools: ({ shown }) => (shown.activated.length + shown.recent.length > 0 ? [ToolsDeactivated({ reason: "idle" })] : []),
    recordTurn: ({ agent }, { role, by, payload }) => (agent === "" ? [] : [TurnRecorded({ role, by }, payload)]),
  },
  evolve: {
    "session.opened": (state, { agent, client, profile }) => ({ ...state, agent, client, profile }),
    "session.connected": (state) => state,
    "session.disconnected": (state) => state,
    ...evolveWaits,
    "session.profiled": (state, { profile }) => ({ ...state, profile }),
    "tools.activated": (state, { tools, drops }) => ({ ...state, shown: withActivated(state.shown, tools, drops) }),
    "turn.recorded": (state) => state,
    "tools.deactivated": (state) => ({ ...state, shown: NOTHING_SHOWN }),
    "call.requested": ({ heir: _, ...state }, requested) => {
      const { call, name, server, capability, native, activates, counted, taints, stage } = requested;
      const taint = stage === undefined ? withTaint(state.taint, taints) : state.taint; // otherwise when it is sent
      const shown = activates ? withActivated(state.shown, [{ name, hash: activates.hash }], activates.drops) : state.shown;
      // It is back: what it learns from now on is its own.
      return {
        ...state,
        open: {
          ...state.open,
          [call]: {
            server,
            capability,
            ...(native && { native }),
            ...(counted && { counted }),
            ...queuedOf(requested),
            ...askingOf(requested),
            ...checkingOf(requested),
          },
        },
        shown: withRecent(shown, server),
        ...(taint && { taint }),
        counts: withRequested(state.counts, requested),
      };
    },
    ...evolvePeople,
    ...evolveChecks,
    ...evolveObserved,
    "call.refused": (state, { approval }) => (approval === undefined ? state : { ...state, people: withTold(state.people, approval) }),
    "call.answered": (state, answered) => {
      const { call, notices } = answered;
      const open = state.open[call];
      const left = notices ? state.notices.filter((notice) => !notices.includes(notice)) : state.notices;
      const announced = isAnnounced(open) ? noted(left, [call]) : left;
      const counts = withAnswered(state.counts, open?.counted, answered);
      const people = withTold(withEnd(state.people, open, answered), answered.code === "approval_denied" ? answered.approval : undefined);
      return { ...state, open: without(state.open, call), notices: announced, counts, people };
    },
    "denials.forgiven": (state) => state, // from before agents were counted
    "once.released": (state, { call }) => ({ ...state, counts: withReleased(state.counts, call) }),
  },
  react: {
    "call.requested": reactRequested,
    ...reactPeople,
    ...reactChecks,
    "call.refused": ({ call, code, rule, retryAfterMs, approval, denial }, { agent }, { payload }) => [
      ...tellDenial(agent, denial),
      {
        type: "refuse",
        call,
        code,
        rule,
        reason: (payload as Refused).reason,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(approval !== undefined && { approval }),
      },
    ],
    "call.answered": ({ resultDigest: _r, denial, ...answered }, { open, agent }, { payload }) => [
      ...tellDenial(agent, denial),
      ...(answered.approval === undefined ? [] : [{ type: "rest", key: holdKey(answered.call) } as const]),
      { type: "reply", ...answered, ...(payload !== undefined && { reason: (payload as Unsent).reason }) },
      ...(answered.certainty === "not_applied" && queueLength(open) > 0 ? [{ type: "wake", key: ORDER_KEY, at: 0 } as const] : []),
      ...reactEnd(answered),
    ],
    ...reactWaits,
    "session.bequeathed": ({ to, calls }, _, { self }) => [
      { type: "tell", to: sessionAddress(to), command: { type: "inherit", from: nameOf(self), calls } },
    ],
  },
  recover: ({ open }) =>
    Object.values(open).some(({ unclaimed, queued, asking, checking }) => queued || asking || checking || !unclaimed)
      ? [{ type: "interrupt" }]
      : [],
  isQuiet: ({ open, people }) => Object.keys(open).length + Object.keys(people.approvals).length === 0,
});
