/** One agent's session: what it asked for, whether it may, what it still waits for, and what it has not been told yet. */
import { CallAnswered, CallUnclaimed } from "../events/call.ts";
import { DenialsForgiven, OnceReleased } from "../events/limits.ts";
import {
  SessionBequeathed,
  SessionConnected,
  SessionDisconnected,
  SessionInherited,
  SessionOpened,
  SessionProfiled,
  ToolsActivated,
  ToolsDeactivated,
} from "../events/session.ts";
import { nameOf, serverAddress, sessionAddress } from "./address.ts";
import { defineActor } from "./define.ts";
import { NOTHING_COUNTED, withAnswered, withDenial, withReleased, withRequested } from "./gates/counts.ts";
import { authorise } from "./policy/allow.ts";
import { without } from "./server-rules.ts";
import { admitCall, type Refused } from "./session-admission.ts";
import type { SessionActorEvent, SessionCommand, SessionEffect, SessionState } from "./session-commands.ts";
import { abandon, dropQueued, ORDER_KEY, queuedOf, queueKey, queueLength, release, wakeQueued } from "./session-order.ts";
import { activation, NOTHING_SHOWN, withActivated, withRecent } from "./shown.ts";
import { withTaint } from "./taint.ts";

const MAX_NOTICES = 100;
const noted = (notices: readonly string[], calls: readonly string[]) => [...new Set([...notices, ...calls])].slice(-MAX_NOTICES);

export const Session = defineActor<SessionState, SessionCommand, SessionActorEvent, SessionEffect>({
  kind: "session",
  shape: 3,
  initialState: { agent: "", client: "", profile: "", open: {}, notices: [], shown: NOTHING_SHOWN, counts: NOTHING_COUNTED },
  decide: {
    open: ({ agent }, { type: _, ...opening }) => (agent === "" ? [SessionOpened(opening)] : []),
    connect: (_, { connection, payload }) => [SessionConnected({ connection }, payload)],
    disconnect: (_, { connection }) => [SessionDisconnected({ connection })],
    ask: admitCall,
    settle: (state, { type: _, ...outcome }, turn) => {
      const { call, certainty } = outcome;
      const open = state.open[call];
      if (!open) return [];
      const next = open.counted?.order && certainty !== "not_applied" ? release(state, without(state.open, call), turn) : [];
      const notices = open.native ? [] : state.notices;
      if (!open.unclaimed) return [CallAnswered(notices.length > 0 ? { ...outcome, notices: [...notices] } : outcome), ...next];
      const late = state.heir && open.capability !== "read" ? [SessionBequeathed({ to: state.heir, calls: [call] })] : [];
      return [CallAnswered({ ...outcome, unclaimed: true }), ...late, ...next];
    },
    wake: (state, { key }, turn) => wakeQueued(state, key, turn),
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
    leave: ({ open }, { call }) => {
      const left = open[call];
      return left && !left.unclaimed ? abandon(call, left, left.capability === "read") : [];
    },
    cancel: ({ open }, { call }) => (open[call] && !open[call].unclaimed ? abandon(call, open[call], true) : []),
    undelivered: (_, { calls }) => calls.map((missed) => CallUnclaimed({ call: missed, cancel: false })),
    bequeath: ({ notices, heir }, { to }) => (heir === to ? [] : [SessionBequeathed({ to, calls: [...notices] })]),
    inherit: ({ heir }, { from, calls }) => {
      if (calls.length === 0) return [];
      const passedOn = heir === undefined ? [] : [SessionBequeathed({ to: heir, calls: [...calls] })];
      return [SessionInherited({ from, calls: [...calls] }), ...passedOn];
    },
    adopt: (state, { profile }) => (state.agent === "" || state.profile === profile ? [] : [SessionProfiled({ profile })]),
    activate: ({ profile, shown }, { names }, { catalogue }) => {
      const offers = names.flatMap((name) => {
        const verdict = authorise(catalogue, name, { profile });
        return verdict.allowed ? [verdict.offer] : [];
      });
      const joins = activation(catalogue, profile, shown, offers);
      return joins ? [ToolsActivated({ tools: [...joins.tools], ...(joins.drops.length > 0 && { drops: [...joins.drops] }) })] : [];
    },
    forgetTools: ({ shown }) => (shown.activated.length + shown.recent.length > 0 ? [ToolsDeactivated({ reason: "idle" })] : []),
    forgiveDenials: ({ counts }, { by }) => (Object.keys(counts.denials).length > 0 ? [DenialsForgiven({ by })] : []),
    interrupt: ({ open }) =>
      Object.entries(open).flatMap(([call, one]) => [
        ...(one.unclaimed ? [] : [CallUnclaimed({ call, cancel: false })]),
        ...(one.queued ? [dropQueued(call, one, "interrupted by a restart before it was sent")] : []),
      ]),
  },
  evolve: {
    "session.opened": (state, { agent, client, profile }) => ({ ...state, agent, client, profile }),
    "session.connected": (state) => state,
    "session.disconnected": (state) => state,
    "session.bequeathed": (state, { to, calls }) => ({
      ...state,
      heir: to,
      notices: state.notices.filter((call) => !calls.includes(call)),
    }),
    "session.inherited": (state, { calls }) => ({ ...state, notices: noted(state.notices, calls) }),
    "session.profiled": (state, { profile }) => ({ ...state, profile }),
    "tools.activated": (state, { tools, drops }) => ({ ...state, shown: withActivated(state.shown, tools, drops) }),
    "tools.deactivated": (state) => ({ ...state, shown: NOTHING_SHOWN }),
    "call.requested": ({ heir: _, ...state }, requested) => {
      const { call, name, server, capability, native, activates, counted, taints } = requested;
      const taint = withTaint(state.taint, taints);
      const shown = activates ? withActivated(state.shown, [{ name, hash: activates.hash }], activates.drops) : state.shown;
      // It is back: what it learns from now on is its own.
      return {
        ...state,
        open: {
          ...state.open,
          [call]: { server, capability, ...(native && { native }), ...(counted && { counted }), ...queuedOf(requested) },
        },
        shown: withRecent(shown, server),
        ...(taint && { taint }),
        counts: withRequested(state.counts, requested),
      };
    },
    "call.admitted": (state, { call, server, capability }) => {
      const { queued: _, ...open } = state.open[call] ?? {};
      return { ...state, open: { ...state.open, [call]: { ...open, server, capability } } };
    },
    "call.refused": (state, { denial }) => (denial ? { ...state, counts: withDenial(state.counts, denial) } : state),
    "call.answered": (state, answered) => {
      const { call, notices } = answered;
      const open = state.open[call];
      const left = notices ? state.notices.filter((notice) => !notices.includes(notice)) : state.notices;
      const announced = open?.unclaimed && open.capability !== "read" ? noted(left, [call]) : left;
      return { ...state, open: without(state.open, call), notices: announced, counts: withAnswered(state.counts, open?.counted, answered) };
    },
    "denials.forgiven": (state) => ({ ...state, counts: { ...state.counts, denials: {} } }),
    "once.released": (state, { call }) => ({ ...state, counts: withReleased(state.counts, call) }),
    "call.unclaimed": (state, { call }) => {
      const open = state.open[call];
      return open
        ? { ...state, open: { ...state.open, [call]: { ...open, unclaimed: true } } }
        : { ...state, notices: noted(state.notices, [call]) };
    },
  },
  react: {
    "call.requested": (
      {
        server,
        rule: _r,
        via: _v,
        native: _n,
        key: _k,
        keyDigest: _d,
        activates: _a,
        verdicts: _w,
        taints: _x,
        counted,
        stage,
        deliver,
        ...call
      },
      { agent },
      { self, payload },
    ) => {
      if (stage && counted) return [{ type: "wake", key: queueKey(call.call), at: counted.at + call.timeoutMs }];
      const dispatch = { type: "dispatch", session: nameOf(self), agent, ...call, ...(deliver && { deliver, payload }) };
      return [{ type: "tell", to: serverAddress(server), command: dispatch }];
    },
    "call.admitted": ({ server, grant: _, ...call }, { agent }, { self }) => [
      { type: "rest", key: queueKey(call.call) },
      { type: "tell", to: serverAddress(server), command: { type: "dispatch", session: nameOf(self), agent, ...call } },
    ],
    "call.refused": ({ call, code, rule, retryAfterMs }, _, { payload }) => [
      { type: "refuse", call, code, rule, reason: (payload as Refused).reason, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    ],
    "call.answered": ({ resultDigest: _r, denial: _d, ...answered }, { open }) => [
      { type: "reply", ...answered },
      ...(answered.certainty === "not_applied" && queueLength(open) > 0 ? [{ type: "wake", key: ORDER_KEY, at: 0 } as const] : []),
    ],
    "call.unclaimed": ({ call, cancel }, { open }) =>
      cancel && open[call] && !open[call].queued
        ? [{ type: "tell", to: serverAddress(open[call].server), command: { type: "cancel", call, by: "client" } }]
        : [],
    "session.bequeathed": ({ to, calls }, _, { self }) => [
      { type: "tell", to: sessionAddress(to), command: { type: "inherit", from: nameOf(self), calls } },
    ],
  },
  recover: ({ open }) => (Object.values(open).some(({ unclaimed, queued }) => queued || !unclaimed) ? [{ type: "interrupt" }] : []),
  isQuiet: ({ open }) => Object.keys(open).length === 0,
});
