/** What becomes of a request that its server answers without ending the call: a question is put to whoever answers, a task is followed. */
import { serverAddress, TASKS } from "../../actors/address.ts";
import { placeIn } from "../../actors/catalogue.ts";
import type { Invoke } from "../../actors/server-commands.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import type { Interim } from "../mcp/downstream/downstream.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { createAskRound } from "./ask-round.ts";
import type { Kept, KeptCall, KeptTask } from "./kept.ts";

export interface InterimPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf" | "catalogue">;
  readonly askRound: ReturnType<typeof createAskRound>;
  readonly kept: Kept<KeptTask>;
  /** 128 unguessable bits as text. */
  readonly randomId: () => string;
}

/** A call as it goes out again, in another process if need be. */
export function keptCallOf({ server, tool }: Pick<Invoke, "server" | "tool">, call: OpenCall): KeptCall {
  const { id, agent, session, profile, client, name, kind, native, arguments: args, meta, timeoutMs, key, keyDigest, via, depth } = call;
  const isFollowed = call.abilities?.tasks === true && call.abilities.elicitation;
  return {
    id,
    agent,
    session,
    profile,
    ...(client !== undefined && { client }),
    name,
    ...(kind && { kind }),
    ...(native && { native }),
    server,
    tool,
    arguments: args,
    ...(meta && { meta }),
    timeoutMs,
    ...(key !== undefined && { key }),
    ...(keyDigest !== undefined && { keyDigest }),
    ...(via && { via }),
    ...(depth !== undefined && { depth }),
    ...(isFollowed && { isFollowed: true as const }),
  };
}

export function createInterim({
  runtime,
  askRound,
  kept,
  randomId,
}: InterimPorts): (effect: Invoke, call: OpenCall, reply: Interim) => void {
  const asks = async (effect: Invoke, call: OpenCall, { requests, requestState }: Extract<Interim, { kind: "input_required" }>) => {
    const over = new AbortController();
    call.stop.signal.addEventListener("abort", () => over.abort("cancelled"), { once: true });
    const state = requestState !== undefined && { requestState };
    const round = { source: "mrtr", requests, ...state, questionId: `q_${randomId()}`, calls: [call.id], signal: over.signal } as const;
    const filled = effect.filled ? { ...call.arguments, ...effect.filled } : call.arguments;
    const kept = keptCallOf(effect, { ...call, arguments: filled });
    if (await askRound(effect.server, round, { open: call, call: kept, canWait: true })) return;
    // Its time had run out before: now it is known that the server waits, and has done nothing.
    await runtime.enter(serverAddress(effect.server), { type: "return", call: call.id, certainty: "not_applied", code: "timeout" });
  };
  const starts = async (effect: Invoke, call: OpenCall, { task }: Extract<Interim, { kind: "task" }>) => {
    const id = `t_${randomId()}`;
    const { taskId, era, pollIntervalMs: pollMs } = task;
    const serverId = placeIn(runtime.catalogue(), effect.server);
    const own = { taskId, era, ...(serverId !== undefined && { serverId }) };
    kept.put(id, { ...own, answered: [], records: call.records ?? [], call: keptCallOf(effect, call) });
    const about = {
      id,
      call: call.id,
      session: call.session,
      agent: call.agent,
      server: effect.server,
      tool: effect.tool,
      name: call.name,
    };
    await runtime.enter(TASKS, { type: "start", ...about, era, ...(pollMs !== undefined && { pollMs }) });
    const isOpen = id in (runtime.stateOf(TASKS) as TasksState).open; // else its server is told to stop it
    if (isOpen && call.stop.signal.aborted) await runtime.enter(TASKS, { type: "cancel", id, by: "client" }); // it came too late for that
  };
  /** The request is over, and nobody will hear more of it. */
  const failed = ({ server, call, capability }: Invoke, kind: Interim["kind"]) => {
    const certainty = kind === "task" && capability !== "read" ? "in_doubt" : "not_applied";
    const reason =
      kind === "task" ? "the task that its server began could not be written down" : "its server's question could not be put to anybody";
    return runtime.enter(serverAddress(server), { type: "return", call, certainty, code: "internal", reason });
  };
  return (effect, call, reply) => {
    const done = reply.kind === "task" ? starts(effect, call, reply) : asks(effect, call, reply);
    done.catch(() => failed(effect, reply.kind)).catch(() => undefined); // recorded as turn.failed
  };
}
