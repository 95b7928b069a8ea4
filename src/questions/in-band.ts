/** Questions of older servers, on the open connection: which calls they may belong to, one after the other, and the answer on its way back. */
import { serverAddress, TASKS } from "../../actors/address.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import type { InBandQuestion, InputResponse } from "../mcp/downstream/downstream.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { createAskRound, Interrupted } from "./ask-round.ts";
import type { Kept, KeptTask } from "./kept.ts";

export interface InBandPorts {
  readonly runtime: Pick<Runtime, "stateOf">;
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

  const put = async (server: string, { request, taskId, signal }: InBandQuestion): Promise<InputResponse> => {
    const { calls, about } = callsOf(server, taskId);
    if (!about || signal.aborted) return DECLINED;
    const { promise, resolve } = Promise.withResolvers<InputResponse>();
    const withdraw = () => resolve({ action: "cancel" });
    signal.addEventListener("abort", withdraw, { once: true });
    const reply = (responses: Readonly<Record<string, InputResponse>>) => resolve(responses[KEY] ?? DECLINED);
    const round = { source: "in_band", requests: { [KEY]: request }, questionId: `q_${randomId()}`, calls, signal, reply } as const;
    if (!(await askRound(server, round, { open: about }))) resolve(DECLINED);
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
    return answer;
  };
}
