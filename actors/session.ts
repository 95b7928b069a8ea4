/** One agent's session: what it asked for, whether it may, what it still waits for, and what it has not been told yet. */
import {
  CallAnswered,
  CallRefused,
  CallRequested,
  CallUnclaimed,
  type Capability,
  type Certainty,
  type Delivery,
  type ErrorCode,
  type SessionCallEvent,
} from "../events/call.ts";
import type { EventOf } from "../events/define.ts";
import {
  SessionBequeathed,
  SessionConnected,
  SessionDisconnected,
  type SessionEvent,
  SessionInherited,
  SessionOpened,
} from "../events/session.ts";
import { nameOf, serverAddress, sessionAddress } from "./address.ts";
import { defineActor, type Tell } from "./define.ts";
import { authorise } from "./policy/allow.ts";
import { without } from "./server-rules.ts";

interface Open {
  readonly server: string;
  readonly capability: Capability;
  /** Nobody waits for it any more. */
  readonly unclaimed?: true;
}
export interface SessionState {
  readonly agent: string;
  readonly client: string;
  readonly profile: string;
  readonly open: Readonly<Record<string, Open>>;
  /** Outcomes to announce with the next result. */
  readonly notices: readonly string[];
  /** Who inherits what turns up late. */
  readonly heir?: string;
}
/** What the door found out about the original arguments before the turn. */
interface Observed {
  readonly digest: string;
  /** The arguments themselves cannot be accepted. */
  readonly refusal?: { readonly code: ErrorCode; readonly rule: string; readonly reason: string };
  readonly deliver?: Delivery;
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
      readonly via?: "invoke_tool";
      readonly key?: string;
      readonly keyDigest?: string;
      readonly timeoutMs: number;
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
    }
  | { readonly type: "resolved"; readonly call: string; readonly by: string }
  /** The client is gone. */
  | { readonly type: "leave"; readonly call: string }
  /** The client wants it to stop. */
  | { readonly type: "cancel"; readonly call: string; readonly by: string }
  /** An answer verifiably was not written: what it told is announced once more. */
  | { readonly type: "undelivered"; readonly calls: readonly string[] }
  | { readonly type: "bequeath"; readonly to: string }
  | { readonly type: "inherit"; readonly from: string; readonly calls: readonly string[] }
  | { readonly type: "interrupt" };
export type SessionEffect =
  | Tell
  | ({ readonly type: "reply" } & EventOf<typeof CallAnswered>["data"])
  | { readonly type: "refuse"; readonly call: string; readonly code: ErrorCode; readonly rule: string; readonly reason: string };
type Event = SessionCallEvent | SessionEvent;

const MAX_NOTICES = 100;
const noted = (notices: readonly string[], calls: readonly string[]) => [...new Set([...notices, ...calls])].slice(-MAX_NOTICES);

export const Session = defineActor<SessionState, SessionCommand, Event, SessionEffect>({
  kind: "session",
  shape: 1,
  initialState: { agent: "", client: "", profile: "", open: {}, notices: [] },
  decide: {
    open: ({ agent }, { type: _, ...opening }) => (agent === "" ? [SessionOpened(opening)] : []),
    connect: (_, { connection, payload }) => [SessionConnected({ connection }, payload)],
    disconnect: (_, { connection }) => [SessionDisconnected({ connection })],
    ask: (_, { type: _t, payload, refusal, name, ...asked }, { catalogue }) => {
      const via = asked.via && { via: asked.via };
      if (refusal) return [CallRefused({ call: asked.call, name, ...refusal, ...via }, payload)];
      const verdict = authorise(catalogue, name);
      if (!verdict.allowed) {
        const { allowed: _, ...refused } = verdict;
        return [CallRefused({ call: asked.call, name, ...refused, ...via }, payload)];
      }
      const { offer, capability, rule } = verdict;
      return [CallRequested({ ...asked, name, server: offer.server, tool: offer.tool, capability, rule }, payload)];
    },
    settle: (state, { type: _, ...outcome }) => {
      const open = state.open[outcome.call];
      if (!open) return [];
      if (!open.unclaimed) return [CallAnswered(state.notices.length > 0 ? { ...outcome, notices: [...state.notices] } : outcome)];
      const late = state.heir && open.capability !== "read" ? [SessionBequeathed({ to: state.heir, calls: [outcome.call] })] : [];
      return [CallAnswered(outcome), ...late];
    },
    resolved: (state, { call, by }) => {
      if (by.startsWith("agent:")) return []; // it knows
      return [CallUnclaimed({ call, cancel: false }), ...(state.heir ? [SessionBequeathed({ to: state.heir, calls: [call] })] : [])];
    },
    leave: ({ open }, { call }) => {
      const left = open[call];
      return left && !left.unclaimed ? [CallUnclaimed({ call, cancel: left.capability === "read" })] : [];
    },
    cancel: ({ open }, { call }) => (open[call] && !open[call].unclaimed ? [CallUnclaimed({ call, cancel: true })] : []),
    undelivered: (_, { calls }) => calls.map((missed) => CallUnclaimed({ call: missed, cancel: false })),
    bequeath: ({ notices, heir }, { to }) => (heir === to ? [] : [SessionBequeathed({ to, calls: [...notices] })]),
    inherit: (_, { from, calls }) => (calls.length > 0 ? [SessionInherited({ from, calls: [...calls] })] : []),
    interrupt: ({ open }) =>
      Object.entries(open)
        .filter(([, { unclaimed }]) => !unclaimed)
        .map(([call]) => CallUnclaimed({ call, cancel: false })),
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
    "call.requested": (state, { call, server, capability }) => ({ ...state, open: { ...state.open, [call]: { server, capability } } }),
    "call.refused": (state) => state,
    "call.answered": (state, { call, notices }) => {
      const open = state.open[call];
      const left = notices ? state.notices.filter((notice) => !notices.includes(notice)) : state.notices;
      const announced = open?.unclaimed && open.capability !== "read" ? noted(left, [call]) : left;
      return { ...state, open: without(state.open, call), notices: announced };
    },
    "call.unclaimed": (state, { call }) => {
      const open = state.open[call];
      return open
        ? { ...state, open: { ...state.open, [call]: { ...open, unclaimed: true } } }
        : { ...state, notices: noted(state.notices, [call]) };
    },
  },
  react: {
    "call.requested": ({ server, rule: _r, via: _v, key: _k, keyDigest: _d, deliver, ...call }, { agent }, { self, payload }) => [
      {
        type: "tell",
        to: serverAddress(server),
        command: { type: "dispatch", session: nameOf(self), agent, ...call, ...(deliver && { deliver, payload }) },
      },
    ],
    "call.refused": ({ call, code, rule, reason }) => [{ type: "refuse", call, code, rule, reason }],
    "call.answered": (answered) => [{ type: "reply", ...answered }],
    "call.unclaimed": ({ call, cancel }, { open }) =>
      cancel && open[call] ? [{ type: "tell", to: serverAddress(open[call].server), command: { type: "cancel", call, by: "client" } }] : [],
    "session.bequeathed": ({ to, calls }, _, { self }) => [
      { type: "tell", to: sessionAddress(to), command: { type: "inherit", from: nameOf(self), calls } },
    ],
  },
  recover: ({ open }) => (Object.values(open).some(({ unclaimed }) => !unclaimed) ? [{ type: "interrupt" }] : []),
  isQuiet: ({ open }) => Object.keys(open).length === 0,
});
