/** Questions of older servers, on the open connection: which calls they may belong to, one after the other, and the answer on its way back. */
import { serverAddress, TASKS } from "../../actors/address.ts";
import { MAX_ROUNDS } from "../../actors/legs/decide.ts";
import { flightOf } from "../../actors/legs/evolve.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { OpenCalls } from "../calls/open-calls.ts";
import type { InBandQuestion, InputRequest, InputResponse } from "../mcp/downstream/downstream.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { createAskRound, Interrupted } from "./ask-round.ts";
import { keptCallOf } from "./interim.ts";
import type { Kept, KeptTask } from "./kept.ts";

export interface InBandPorts {
  readonly runtime: Pick<Runtime, "stateOf">;
  readonly openCalls: Pick<OpenCalls, "get">;
  readonly askRound: ReturnType<typeof createAskRound>;
  readonly kept: Kept<KeptTask>;
  /** What is answered within a read on that server; undefined when nothing is read there. */
  readonly whileReading: (server: string, request: InputRequest) => InputResponse | undefined;
  readonly randomId: () => string;
}
const KEY = "question";
const DECLINED: InputResponse = { action: "decline" };

export function createInBand({ runtime, openCalls, askRound, kept, whileReading, randomId }: InBandPorts) {
  const last = new Map<string, Promise<unknown>>();

  /** A server that asks for a task says so; else it may be about every call that is open there. */
  const callsOf = (server: string, taskId: string | undefined): { readonly calls: readonly string[]; readonly about?: Interrupted } => {
    const { inFlight } = runtime.stateOf(serverAddress(server)) as ServerState;
    const tasks = taskId === undefined ? [] : Object.values((runtime.stateOf(TASKS) as TasksState).open);
    const task = tasks.find(({ id, server: of }) => of.toLowerCase() === server.toLowerCase() && kept.get(id)?.taskId === taskId);
    const known = task && kept.get(task.id);
    if (task && known) return { calls: [task.call], about: { open: known.call, call: known.call, canWait: false } };
    const open = Object.keys(inFlight).flatMap((call) => openCalls.get(call) ?? []);
    const [first] = open;
    const tool = first && inFlight[first.id]?.tool;
    if (!first || tool === undefined) return { calls: [] };
    const isShared = open.some(({ session }) => session !== first.session);
    return { calls: open.map(({ id }) => id), about: { open: first, call: keptCallOf({ server, tool }, first), canWait: false, isShared } };
  };

  /** The first question beyond the bound is written down as declined, those after it are declined unheard. */
  const isBeyond = (server: string, calls: readonly string[]): boolean => {
    const state = runtime.stateOf(serverAddress(server)) as ServerState;
    return calls.some((call) => (flightOf(state, call)?.rounds ?? 0) > MAX_ROUNDS);
  };

  const put = async (server: string, { request, taskId, signal }: InBandQuestion): Promise<InputResponse> => {
    const { calls, about } = callsOf(server, taskId);
    if (!about && taskId === undefined && !signal.aborted) return whileReading(server, request) ?? DECLINED;
    if (!about || signal.aborted || isBeyond(server, calls)) return DECLINED;
    const { promise, resolve } = Promise.withResolvers<InputResponse>();
    const reply = (responses: Readonly<Record<string, InputResponse>>) => resolve(responses[KEY] ?? DECLINED);
    const over = new AbortController();
    const withdraw = () => {
      over.abort("cancelled");
      resolve({ action: "cancel" });
    };
    const [only, ...others] = calls.flatMap((call) => openCalls.get(call)?.stop.signal ?? []);
    const ends = [signal, ...(only && others.length === 0 ? [only] : [])]; // withdrawn, or nobody wants the answer any more
    for (const end of ends) end.addEventListener("abort", withdraw, { once: true });
    const round = {
      source: "in_band",
      requests: { [KEY]: request },
      questionId: `q_${randomId()}`,
      calls,
      signal: over.signal,
      reply,
    } as const;
    if (!(await askRound(server, round, about))) resolve(DECLINED);
    return promise.finally(() => {
      for (const end of ends) end.removeEventListener("abort", withdraw);
    });
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
