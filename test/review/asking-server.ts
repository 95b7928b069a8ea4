/** The servers of a random life with questions and tasks: they remember what they were sent, and answer what the life tells them to. */
import type {
  CallReply,
  CallRequest,
  Downstream,
  DownstreamEvents,
  InputRequest,
  InputResponse,
  TaskReport,
} from "../../src/mcp/downstream/downstream.ts";
import { type FakeServer, fakeServer, tool } from "../harness.ts";
import { type Alive, hears } from "./lives.ts";

/** A request as a server got it. */
export interface Leg {
  readonly nonce: number;
  readonly server: string;
  readonly request: CallRequest;
  readonly life: number;
  /** The log held the intent when the request left. */
  readonly intended: boolean;
  /** Does nothing when its process has died. */
  readonly answer: (reply: CallReply) => void;
  reply?: CallReply;
}
/** A task as its server knows it; it outlives our process. */
export interface RemoteTask {
  readonly id: string;
  readonly server: string;
  readonly nonce: number;
  state: TaskReport;
  readonly asked: Map<string, InputRequest>;
  /** How often each key was answered. */
  readonly answers: Map<string, number>;
  cancels: number;
}
/** A question of an older server on its connection. */
export interface InBand {
  readonly life: number;
  /** No other one has these words. */
  readonly message: string;
  /** Its server took it back. */
  readonly isWithdrawn: () => boolean;
  response?: InputResponse;
}
export interface Place {
  readonly legs: Leg[];
  readonly tasks: RemoteTask[];
  readonly inBand: InBand[];
  /** Of the process that lives now. */
  readonly life: () => number;
  readonly isAlive: () => Alive;
  readonly intents: (nonce: number) => number;
}
export interface AskingServer {
  readonly fake: FakeServer;
  /** Asks on the open connection, if there is one. */
  ask(request: InputRequest, signal: AbortSignal): void;
}

/** Ends in what `report` says next; a failed poll is one. */
const reportOf = (task: RemoteTask): TaskReport => {
  const { state } = task;
  if (state.kind === "failed") task.state = { kind: "working" };
  if (state.kind !== "working" || task.asked.size === 0) return state;
  return { kind: "input_required", requests: Object.fromEntries(task.asked) };
};

export function askingServer(server: string, era: "legacy" | "modern", place: Place): AskingServer {
  const DONE = { kind: "result", result: {} } as const;
  const tasksOf = (mine: { readonly is: boolean }): Downstream["tasks"] => {
    const of = (id: string) => place.tasks.find((task) => task.id === id);
    const never = <T>() => new Promise<T>(() => undefined);
    return {
      report: async ({ taskId }) => {
        if (!mine.is) return never();
        const task = of(taskId);
        return task ? reportOf(task) : { kind: "unknown" };
      },
      answer: async ({ taskId }, responses) => {
        if (!mine.is) return never();
        const task = of(taskId);
        for (const key of Object.keys(responses)) {
          task?.asked.delete(key);
          task?.answers.set(key, (task.answers.get(key) ?? 0) + 1);
        }
        return DONE;
      },
      cancel: async ({ taskId }) => {
        if (!mine.is) return never();
        const task = of(taskId);
        if (task) task.cancels++;
        return DONE;
      },
    };
  };
  const introduction: Downstream["introduction"] = {
    era,
    protocolVersion: era === "modern" ? "2026-07-28" : "2025-11-25",
    transport: "stdio",
    serverInfo: { name: server, version: "1" },
    capabilities: {},
  };
  const fake = fakeServer([tool("act"), tool("look")], { introduction });
  let listener: DownstreamEvents | undefined;
  hears(fake, {
    alive: place.isAlive,
    connected(events, mine) {
      listener = events;
      const tasks = tasksOf(mine);
      return tasks ? { tasks } : {};
    },
    sent(request, mine) {
      const nonce = Number(request.meta?.["nonce"]);
      const before = place.legs.filter((leg) => leg.nonce === nonce).length;
      const { promise, resolve } = Promise.withResolvers<CallReply>();
      const leg: Leg = {
        ...{ nonce, server, request, life: place.life(), intended: place.intents(nonce) > before },
        answer(reply) {
          if (leg.reply !== undefined || !mine.is) return;
          leg.reply = reply;
          resolve(reply);
        },
      };
      place.legs.push(leg);
      return promise;
    },
  });
  return {
    fake,
    ask(request, signal) {
      if (!listener?.onQuestion) return;
      const message = `${request.params["message"]} (${place.inBand.length})`;
      const entry: InBand = { life: place.life(), message, isWithdrawn: () => signal.aborted };
      place.inBand.push(entry);
      const mine = place.isAlive();
      void listener.onQuestion({ request: { ...request, params: { ...request.params, message } }, signal }).then((response) => {
        if (mine.is) entry.response = response;
      });
    },
  };
}
