/** Questions of older servers, on the open connection: which calls they may belong to, one after the other, and the answer on its way back. */
import { QUESTIONS, serverAddress, TASKS } from "../../actors/address.ts";
import { MAX_ROUNDS } from "../../actors/legs/decide.ts";
import { flightOf } from "../../actors/legs/evolve.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import type { InBandQuestion, InputResponse } from "../mcp/downstream/downstream.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { createAskRound, Interrupted } from "./ask-round.ts";
import type { Kept, KeptTask } from "./kept.ts";

export interface InBandPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly openCalls: Pick<OpenCalls, "get">;
  readonly askRound: ReturnType<typeof createAskRound>;
  readonly kept: Kept<KeptTask>;
  readonly randomId: () => string;
}
const KEY = "question";
const DECLINED: InputResponse = { action: "decline" };

export function createInBand({ runtime, openCalls, askRound, kept, randomId }: InBandPorts) {
  const last = new Map<string, Promise<unknown>>();

  /** A server that asks for a task says so; else it may be about every call that is open there. */
  const callsOf = (
    server: string,
    taskId: string | undefined,
  ): { readonly calls: readonly string[]; readonly about?: Interrupted["open"] } => {
    const { inFlight } = runtime.stateOf(serverAddress(server)) as ServerState;
    const tasks = taskId === undefined ? [] : Object.values((runtime.stateOf(TASKS) as TasksState).open);
    const task = tasks.find(({ id, server: of }) => of.toLowerCase() === server.toLowerCase() && kept.get(id)?.taskId === taskId);
    const known = task && kept.get(task.id);
    if (task && known) return { calls: [task.call], about: { ...known.call } };
    const calls = Object.keys(inFlight);
    const about = openCalls.get(calls[0] ?? "");
    return { calls, ...(about && { about }) };
  };

  /** The first question beyond the bound is written down as declined, those after it are declined unheard. */
  const isBeyond = (server: string, calls: readonly string[]): boolean => {
    const state = runtime.stateOf(serverAddress(server)) as ServerState;
    return calls.some((call) => (flightOf(state, call)?.rounds ?? 0) > MAX_ROUNDS);
  };

  const put = async (server: string, { request, taskId, signal }: InBandQuestion): Promise<InputResponse> => {
    const { calls, about } = callsOf(server, taskId);
    if (!about || signal.aborted || isBeyond(server, calls)) return DECLINED;
    const { promise, resolve } = Promise.withResolvers<InputResponse>();
    const reply = (responses: Readonly<Record<string, InputResponse>>) => resolve(responses[KEY] ?? DECLINED);
    const questionId = `q_${randomId()}`;
    const withdraw = () => {
      resolve({ action: "cancel" });
      const command = { type: "cancel", id: questionId, reason: "its server has withdrawn it" };
      runtime.enter(QUESTIONS, command).catch(() => undefined); // recorded as turn.failed
    };
    signal.addEventListener("abort", withdraw, { once: true });
    const round = { source: "in_band", requests: { [KEY]: request }, questionId, calls, signal, reply } as const;
    if (!(await askRound(server, round, { open: about }))) resolve(DECLINED);
    else if (signal.aborted) withdraw(); // before it was put to anybody
    return promise.finally(() => signal.removeEventListener("abort", withdraw));
  };

  /** Never rejects. */
  return async (server: string, question: InBandQuestion): Promise<InputResponse> => {
    const before = last.get(server);
    const answer = (async () => {
      await before;
      return put(server, question).catch(() => DECLINED);
    })();
    last.set(server, answer);
    return answer.finally(() => {
      if (last.get(server) === answer) last.delete(server);
    });
  };
}
