/** The ledger of calls that go on in the background: tasks of servers, and calls of ours that a client follows as a task. */
import {
  TaskCancelling,
  TaskDelivered,
  type TaskEnd,
  type TaskEvent,
  TaskOffered,
  TaskPolled,
  TaskRefused,
  TaskSettled,
  TaskStarted,
} from "../events/task.ts";
import { QUESTIONS, serverAddress, sessionAddress } from "./address.ts";
import { placeOf, serverOf, taskLimits, whyGone } from "./catalogue.ts";
import { defineActor, type TurnContext } from "./define.ts";
import { without } from "./server-rules.ts";
import type { About, Running, TaskOrCall, TasksCommand, TasksEffect, TasksState } from "./tasks-commands.ts";

/** Ended and untold tasks are remembered for their announcement, the newest first to stay. */
const MAX_UNTOLD = 1000;
type Command<T extends TasksCommand["type"]> = Extract<TasksCommand, { readonly type: T }>;

const aboutOf = ({ id, call, session, agent, server }: About): About => ({ id, call, session, agent, server });
const taskKey = (id: string): string => `task:${id}`;

function start(state: TasksState, { type: _, era, pollMs, ...task }: Command<"start">, { catalogue, now }: TurnContext): TaskEvent[] {
  const { perSession, total, timeoutMs, pollMinMs, pollMaxMs } = taskLimits(catalogue);
  const running = Object.values(state.open).filter(({ polled }) => polled !== undefined);
  const own = running.filter(({ session }) => session === task.session).map(({ id }) => id);
  const server = serverOf(catalogue, task.server);
  const where = { ...task, server: server?.name ?? task.server, serverId: server ? placeOf(server) : "", createdAt: now };
  const refused = (limit: string) => [TaskRefused({ ...where, limit, running: own })];
  if (running.length >= total) return refused("bridge.maxTasks");
  if (own.length >= perSession) return refused("bridge.maxTasksPerSession");
  const everyMs = Math.round(Math.min(pollMaxMs, Math.max(pollMinMs, pollMs ?? pollMinMs)));
  return [TaskStarted({ ...where, era, deadline: now + (server?.policy.taskTimeoutMs ?? timeoutMs), pollMs: everyMs })];
}

function change(state: TasksState, id: string, more: Partial<Running>): TasksState {
  const task = state.open[id];
  return task ? { ...state, open: { ...state.open, [id]: { ...task, ...more } } } : state;
}

/** By its own id; by its call only where that is one of ours which a client follows. */
const meant = ({ open }: TasksState, of: TaskOrCall): Running | undefined =>
  "id" in of ? open[of.id] : Object.values(open).find(({ call, polled }) => call === of.call && polled === undefined);

const CODE = {
  completed: "execution_failed",
  failed: "execution_failed",
  cancelled: "cancelled",
  expired: "timeout",
  lost: "execution_failed",
} as const;
const cancelTask = (id: string, call: string, server: string) => ({ type: "cancelTask", id, call, server }) as const;
/** Its server may have done it, and nobody will hear. */
const abandon = (call: string, server: string, code: (typeof CODE)[TaskEnd] | "overloaded", reason: string): TasksEffect => ({
  type: "tell",
  to: serverAddress(server),
  command: { type: "abandon", call, certainty: "in_doubt", code, reason },
});

export const Tasks = defineActor<TasksState, TasksCommand, TaskEvent, TasksEffect>({
  kind: "tasks",
  shape: 1,
  initialState: { open: {}, untold: {} },
  decide: {
    start,
    offer: (state, { type: _, ...task }, { catalogue, now }) => {
      const server = serverOf(catalogue, task.server);
      const known = { server: server?.name ?? task.server, serverId: server ? placeOf(server) : "" };
      return state.open[task.id] ? [] : [TaskOffered({ ...task, ...known, createdAt: now })];
    },
    polled: (state, { id, status }, { catalogue }) => {
      const task = state.open[id];
      if (!task) return [];
      if (status !== undefined)
        return task.failures > 0 || status !== task.status ? [TaskPolled({ ...aboutOf(task), status, failures: 0 })] : [];
      const failures = task.failures + 1;
      const polled = TaskPolled({ ...aboutOf(task), status: task.status, failures });
      const isLost = failures >= taskLimits(catalogue).pollFailures;
      return isLost
        ? [
            polled,
            TaskSettled({
              ...aboutOf(task),
              status: "lost",
              reason: `${failures} polls in a row failed (bridge.taskPollFailureLimit)`,
              stop: true,
            }),
          ]
        : [polled];
    },
    asks: (state, { of }) => {
      const task = meant(state, of);
      return task && task.status !== "input_required" ? [TaskPolled({ ...aboutOf(task), status: "input_required", failures: 0 })] : [];
    },
    goesOn: (state, { of }) => {
      const task = meant(state, of);
      return task && task.status !== "working" ? [TaskPolled({ ...aboutOf(task), status: "working", failures: 0 })] : [];
    },
    ended: (state, { id, status, reason }) => {
      const task = state.open[id];
      return task ? [TaskSettled({ ...aboutOf(task), status, ...(reason !== undefined && { reason }) })] : [];
    },
    cancel: (state, { id, by }) => {
      const task = state.open[id];
      return task && !task.cancelling ? [TaskCancelling({ ...aboutOf(task), by })] : [];
    },
    delivered: (state, { calls, by }) =>
      calls.flatMap((call) => {
        const task = state.untold[call];
        return task ? [TaskDelivered({ ...task, by })] : [];
      }),
    wake: (state, { key }, { now, catalogue }) =>
      Object.values(state.open)
        .filter(({ id, polled }) => taskKey(id) === key && polled !== undefined && polled.deadline <= now)
        .map((task) => {
          const limit =
            serverOf(catalogue, task.server)?.policy.taskTimeoutMs === undefined
              ? "bridge.defaultTaskTimeoutMinutes"
              : "taskTimeoutMinutes";
          return TaskSettled({ ...aboutOf(task), status: "expired", reason: `its time ran out (${limit})`, stop: true });
        }),
    review: (state, _, { catalogue }) =>
      Object.values(state.open).flatMap((task) => {
        if (!task.polled) return [];
        const server = serverOf(catalogue, task.server);
        const reason = whyGone(server, task.serverId) ?? (server?.policy.tasks ? undefined : "tasks of its server were switched off");
        return reason === undefined ? [] : [TaskSettled({ ...aboutOf(task), status: "cancelled", reason, stop: true })];
      }),
  },
  evolve: {
    "task.started": (state, { era, deadline, pollMs, tool: _t, name: _n, createdAt: _c, ...about }) => ({
      ...state,
      open: {
        ...state.open,
        [about.id]: { ...about, status: "working", failures: 0, polled: { era, deadline, everyMs: pollMs } },
      },
    }),
    "task.refused": (state) => state,
    "task.offered": (state, { tool: _t, name: _n, createdAt: _c, ...about }) => ({
      ...state,
      open: { ...state.open, [about.id]: { ...about, status: "working", failures: 0 } },
    }),
    "task.polled": (state, { id, status, failures }) => change(state, id, { status, failures }),
    "task.cancelling": (state, { id }) => change(state, id, { cancelling: true }),
    "task.settled": (state, task) => {
      const { id, call } = task;
      const untold = Object.entries({ ...without(state.untold, call), [call]: aboutOf(task) });
      return { open: without(state.open, id), untold: Object.fromEntries(untold.slice(-MAX_UNTOLD)) };
    },
    "task.delivered": (state, { call }) => ({ ...state, untold: without(state.untold, call) }),
  },
  react: {
    "task.started": ({ id, call, server, deadline }) => [
      { type: "wake", key: taskKey(id), at: deadline },
      { type: "tell", to: serverAddress(server), command: { type: "suspend", call, task: id } },
      { type: "watchTask", id },
    ],
    "task.offered": ({ id, call, session }) => [
      { type: "tell", to: sessionAddress(session), command: { type: "offered", call, task: id } },
    ],
    "task.refused": ({ id, call, server, limit, running }) => {
      const others = running.length > 0 ? `; running: ${running.join(", ")}` : "";
      const reason = `no more tasks can run (${limit})${others}; the server was told to stop this one`;
      return [cancelTask(id, call, server), abandon(call, server, "overloaded", reason)];
    },
    "task.cancelling": ({ id, call, session, server, by }, { open }) =>
      open[id]?.polled
        ? [cancelTask(id, call, server)]
        : [{ type: "tell", to: sessionAddress(session), command: { type: "cancel", call, by } }],
    "task.settled": ({ id, call, server, status, reason = status, stop }) => [
      { type: "rest", key: taskKey(id) },
      { type: "tell", to: QUESTIONS, command: { type: "drop", call, reason: "its task has ended" } },
      ...(stop ? [cancelTask(id, call, server), abandon(call, server, CODE[status], reason)] : []),
      { type: "leaveTask", id },
    ],
  },
  recover: () => [],
  isQuiet: () => false,
});
