/** One interpreter for each kind of effect. None of them throws: what is not known is said, and enters as a command. */
import type { QuestionSettled } from "../../actors/questions-commands.ts";
import type { Invoke } from "../../actors/server-commands.ts";
import type { SessionEffect } from "../../actors/session-commands.ts";
import type { TasksEffect } from "../../actors/tasks-commands.ts";
import type { CallEnd, OpenCalls } from "../calls/open-calls.ts";
import { delivered } from "../calls/told.ts";
import type { Respond } from "../questions/respond.ts";
import type { TaskWatch } from "../questions/task-watch.ts";
import type { Effect } from "../runtime/settle.ts";
import type { Timers } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Consult } from "./consult.ts";

export interface PerformPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly openCalls: OpenCalls;
  readonly timers: Timers;
  readonly invoke: (effect: Invoke) => void;
  /** Asks hooks about a call before it is sent. */
  readonly consult: (effect: Consult, from: string) => void;
  /** Sees to it that a connection attempt is under way. */
  readonly connect: (server: string) => void;
  /** The published tools of a server (or of all, "*") changed. */
  readonly publish: (server: string) => void;
  /** Tells people that a session asks for an approval. */
  readonly askPeople: (request: AskPeople, session: string) => void;
  /** Answers a round of a server's questions. */
  readonly respond: (effect: Respond) => void;
  /** A question of the ledger is over. */
  readonly questionSettled: (effect: QuestionSettled) => void;
  readonly tasks: TaskWatch;
}

export interface AskPeople {
  readonly type: "askPeople";
  readonly approval: string;
  readonly call: string;
  readonly seats: readonly string[];
}

interface Reply extends Omit<CallEnd, "notices" | "result"> {
  readonly type: "reply";
  readonly notices?: readonly string[];
  readonly isError?: boolean;
  readonly unclaimed?: boolean;
}
type Known =
  | Invoke
  | Respond
  | QuestionSettled
  | Extract<TasksEffect, { readonly type: "watchTask" | "leaveTask" | "cancelTask" }>
  | Extract<SessionEffect, { readonly type: "park" }>
  | Consult
  | Reply
  | AskPeople
  | { readonly type: "cancel"; readonly call: string }
  | { readonly type: "connect"; readonly server: string }
  | { readonly type: "publish"; readonly server: string }
  | {
      readonly type: "refuse";
      readonly call: string;
      readonly code: NonNullable<CallEnd["code"]>;
      readonly rule: string;
      readonly reason: string;
      readonly retryAfterMs?: number;
      readonly approval?: string;
    }
  | { readonly type: "wake"; readonly key: string; readonly at: number }
  | { readonly type: "rest"; readonly key: string };

export function createPerform(ports: PerformPorts): (effect: Effect, from: string) => void {
  const { runtime, openCalls, timers, invoke, consult, connect, publish, askPeople, respond, questionSettled, tasks } = ports;
  /** Of ended tasks the agent has the outcome now. */
  const heard = (ids: readonly string[], by: string) => void delivered(runtime, ids, by).catch(() => undefined); // recorded as turn.failed
  const interpreters: { [K in Known["type"]]: (effect: Extract<Known, { type: K }>, from: string) => void } = {
    invoke,
    consult,
    cancel: ({ call }) => openCalls.get(call)?.stop.abort("cancelled"),
    connect: ({ server }) => connect(server),
    publish: ({ server }) => publish(server),
    wake: ({ key, at }, from) => timers.set({ address: from, key, at }),
    refuse: ({ type: _, ...end }) => void openCalls.end({ ...end, certainty: "not_applied", notices: [] }),
    askPeople,
    respond,
    questionSettled,
    watchTask: ({ id }) => tasks.watch(id),
    leaveTask: ({ id }) => tasks.leave(id),
    cancelTask: ({ id, server }) => tasks.cancel(id, server),
    park({ type: _, call, offered, ...parked }, from) {
      const end = { call, certainty: "not_applied", notices: [], parked } as const;
      const told = offered ? openCalls.park(end) : openCalls.end(end);
      const { question } = parked;
      // Whoever left while this was being committed could not say so in time.
      if (!told && question !== undefined) runtime.enter(from, { type: "note", ids: [question] }).catch(() => undefined); // recorded as turn.failed
    },
    rest: ({ key }, from) => timers.clear(from, key),
    reply: ({ type: _, isError: _e, notices = [], unclaimed = false, ...end }, from) => {
      const open = openCalls.get(end.call);
      if (!open) return; // asked by a process that is gone: it is announced
      const nobodyWaits = open.waiters.size === 0;
      const isUnsent = end.rule !== undefined;
      const told = openCalls.end({
        ...end,
        notices,
        ...(open.result && end.approval === undefined && !isUnsent && { result: open.result }),
        ...(open.rpcError && { rpcError: open.rpcError }),
        ...(open.note !== undefined && { note: open.note }),
      });
      if (told) heard(notices, "notice");
      if (!nobodyWaits) heard([end.call], "result");
      if (isUnsent) open.stop.abort("ended"); // whoever is still asked about it need not answer
      // Whoever left while this was being committed could not say so in time.
      const mayHaveActed = open.capability !== undefined && open.capability !== "read";
      const calls = [...(told ? [] : notices), ...(nobodyWaits && !unclaimed && mayHaveActed ? [end.call] : [])];
      if (calls.length > 0) runtime.enter(from, { type: "undelivered", calls }).catch(() => undefined); // recorded as turn.failed
    },
  };
  return (effect, from) => (interpreters[effect.type as Known["type"]] as (effect: Effect, from: string) => void)(effect, from);
}
