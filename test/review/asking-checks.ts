/** What must be true of every life with questions and tasks. Each fault is one sentence that begins with its rule. */
import { kindOf, QUESTIONS, serverAddress, TASKS } from "../../actors/address.ts";
import { evolve } from "../../actors/define.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { TasksState } from "../../actors/tasks-commands.ts";
import type { Envelope } from "../../events/envelope.ts";
import { actorKinds } from "../../src/runtime/actors.ts";
import { LIMITS, SERVERS, SESSIONS } from "./asking-draws.ts";
import type { Life } from "./asking-life.ts";
import type { Leg } from "./asking-server.ts";

type Data = Readonly<Record<string, unknown>>;
interface CallStory {
  readonly capability: string;
  /** Agent and idempotency key. */
  readonly key?: string;
  turnedOut?: string;
  settled?: Data;
  ends: number;
  certainty?: string;
  resolved: number;
}
interface QuestionStory {
  readonly askedAt: number;
  readonly source: string;
  /** In order. */
  readonly ends: string[];
}
/** What the log says so far. */
export interface Story {
  readonly calls: Map<string, CallStory>;
  readonly questions: Map<string, QuestionStory>;
  /** Ends of each task. */
  readonly tasks: Map<string, { readonly call: string; ends: string[]; deliveredAt?: number }>;
  readonly states: Map<string, unknown>;
  /** Ends of calls and what sessions were told. */
  readonly tellings: Envelope[];
}
const QUESTION_ENDS = ["answered", "declined", "expired", "lapsed", "cancelled"];
const TASK_KINDS = ["task.started", "task.offered"];

export const emptyStory = (): Story => ({ calls: new Map(), questions: new Map(), tasks: new Map(), states: new Map(), tellings: [] });

/** One event more. */
export function told({ calls, questions, tasks, states, tellings }: Story, event: Envelope, fault: Fault): void {
  const { type, stream, position } = event;
  const data = event.data as Data;
  const actor = actorKinds[kindOf(stream)];
  if (actor) states.set(stream, evolve(actor, states.get(stream) ?? actor.initialState, event));
  if (type === "call.answered" || type === "outcome.told") tellings.push(event);
  if (type === "turn.failed") fault("no turn fails", String(data["error"]));
  const call = String(data["call"] ?? "");
  const story = calls.get(call);
  if (type === "call.requested" || type === "call.refused") {
    if (story) fault("a call begins once", call);
    calls.set(call, {
      capability: String(data["capability"] ?? "read"),
      ends: type === "call.refused" ? 1 : 0,
      resolved: 0,
      ...(typeof data["key"] === "string" && type === "call.requested" && { key: `${SESSIONS[stream.slice(8)]} ${data["key"]}` }),
    });
  }
  if (type === "call.settled") {
    if (data["certainty"] === "in_doubt" && data["capability"] === "read") fault("a read is never in doubt", call);
    if (!story || story.settled) fault("a call is settled once", call);
    if (story) story.settled = data;
  }
  if (type === "call.resolved" && story) Object.assign(story, { resolved: story.resolved + 1, turnedOut: data["outcome"] });
  if (type === "call.answered" && story) {
    if (++story.ends > 1) fault("a call ends once", call);
    story.certainty = String(data["certainty"]);
  }
  const id = String(data["id"] ?? "");
  const [kind = "", what = ""] = type.split(".");
  if (type === "question.opened") questions.set(id, { askedAt: position, source: String(data["source"]), ends: [] });
  else if (kind === "question" && QUESTION_ENDS.includes(what)) {
    const { ends } = questions.get(id) ?? {};
    if (!ends) fault("only what was asked ends", id);
    ends?.push(what);
    if (ends && ends.length > 1 && !(ends.length === 2 && ["answered", "declined"].includes(ends[0] ?? "") && what === "lapsed"))
      fault("a question ends once, or lapses after its answer", ends.join());
  }
  if (TASK_KINDS.includes(type)) tasks.set(id, { call, ends: [] });
  if (type === "task.settled" && tasks.get(id)?.ends.push(String(data["status"])) !== 1) fault("a task ends once", id);
  const task = tasks.get(id);
  if (type === "task.delivered" && task) task.deliveredAt = position;
}
export type Fault = (rule: string, detail: string) => void;

/** Only when everything is at rest. */
export function compareStates(life: Life, { calls, states, questions }: Story, fault: Fault): void {
  const { runtime, openCalls } = life.world;
  for (const [stream, state] of states)
    if (!Bun.deepEquals(state, runtime.stateOf(stream))) fault("the state is the fold of the log", stream);
  const held = new Set(Object.keys(SESSIONS).flatMap((id) => Object.keys((runtime.stateOf(`session/${id}`) as SessionState).open)));
  const open = [...calls].filter(([, { ends }]) => ends === 0).map(([call]) => call);
  if (!Bun.deepEquals(new Set(open), held)) fault("every call is open in its session or has ended", `${open} / ${[...held]}`);
  const suspended = new Set<string>();
  const { open: tasks } = runtime.stateOf(TASKS) as TasksState;
  for (const server of ["builtin", ...SERVERS]) {
    const state = runtime.stateOf(serverAddress(server)) as ServerState;
    const flying = Object.entries(state.inFlight);
    for (const [call, { cancelling, question, task = "" }] of Object.entries(state.suspended)) {
      if (cancelling && (question !== undefined || !tasks[task]?.cancelling)) fault("who wants a call to stop is heard", call);
      suspended.add(call);
      if (call in state.inFlight) fault("a call that waits holds no slot", call);
      if (!held.has(call)) fault("what waits is open", call);
    }
    for (const [call] of flying) if (!held.has(call)) fault("what is in flight is open", call);
    if (state.waiting.length > LIMITS.waitingPerServer) fault("the limits hold", server); // what is answered goes on whatever runs
  }
  const inMemory = open.filter((call) => openCalls.get(call));
  if (openCalls.size !== inMemory.length) fault("no call is kept in memory after its end", `${openCalls.size} of ${inMemory}`);
  for (const call of open) if (!suspended.has(call) && !openCalls.get(call)) fault("what does not wait is held in memory", call);
  for (const call of suspended) if (openCalls.get(call)) fault("what waits is not held in memory", call);
  compareLedgers(life, suspended, held, fault);
  const [, diedAt = 0] = life.diedAt.at(-1) ?? [];
  for (const [id, { askedAt, source, ends }] of questions)
    if (source === "in_band" && askedAt <= diedAt && ends.length === 0) fault("a question on a connection ends with its process", id);
}

function compareLedgers({ world, sealed }: Life, suspended: ReadonlySet<string>, held: ReadonlySet<string>, fault: Fault): void {
  const { open: questions } = world.runtime.stateOf(QUESTIONS) as QuestionsState;
  const { open: tasks } = world.runtime.stateOf(TASKS) as TasksState;
  const names = (kind: string) => new Set(sealed.names(kind).map(({ name }) => name));
  if (!Bun.deepEquals(names("question"), new Set(Object.keys(questions)))) fault("what is sealed are the open questions", "");
  const polled = Object.values(tasks).filter((task) => task.polled);
  if (!Bun.deepEquals(names("task"), new Set(polled.map(({ id }) => id)))) fault("what is sealed are the open tasks", `${polled.length}`);
  const { perSession, total } = LIMITS.questions;
  if (Object.keys(questions).length > total) fault("no more questions than allowed", "");
  for (const session of Object.keys(SESSIONS)) {
    if (Object.values(questions).filter((one) => one.session === session).length > perSession) fault("no more questions of a session", "");
    if (polled.filter((one) => one.session === session).length > LIMITS.tasks.perSession) fault("no more tasks of a session", "");
  }
  if (polled.length > LIMITS.tasks.total) fault("no more tasks than allowed", "");
  for (const { call, id } of polled)
    if (!suspended.has(call) && held.has(call)) fault("the call of an open task waits, or was over before", `${id} ${call}`);
  for (const { call, id, way } of Object.values(questions))
    if (way !== "operator" && !suspended.has(call)) fault("the call of an open question waits", `${id} ${call}`);
}

/** What servers really got, against what the log says. */
export function compareServers(life: Life, { calls }: Story, fault: Fault): void {
  const { legs, callOf, tasks } = life;
  const states = new Map<string, number>();
  for (const { request } of legs)
    if (request.requestState !== undefined) states.set(request.requestState, (states.get(request.requestState) ?? 0) + 1);
  for (const [state, times] of states) if (times > 1) fault("a server gets its answers once", state);
  for (const { id, answers } of tasks)
    for (const [key, times] of answers) if (times > 1) fault("a task gets its answers once", `${id} ${key} ${times}`);
  for (const [call, sent] of Map.groupBy(legs, ({ nonce }) => callOf.get(nonce) ?? "")) {
    const story = calls.get(call);
    if (sent.some(({ intended }) => !intended)) fault("the intent is durable before the call is sent", call);
    const asked = sent.filter(({ reply }) => reply?.kind === "input_required").length;
    if (sent.filter(({ request }) => request.inputResponses).length > asked) fault("only what was asked is answered", call);
    if (story?.capability === "read" && story.certainty === "in_doubt") fault("a read is never in doubt", call);
    const last = sent.at(-1);
    const remote = tasks.find(({ nonce }) => nonce === last?.nonce);
    const isAnswered = last?.reply?.kind === "result" || last?.reply?.kind === "rpc_error" || remote?.state.kind === "ended";
    if (story?.certainty === "answered" && !isAnswered) fault("answered means answered", call);
    const isCut = last && last.reply === undefined && last.life < life.number;
    if (isCut && story?.capability === "mutating" && story.certainty !== "in_doubt") fault("what our death cut off is in doubt", call);
    if (story?.certainty === "not_applied" && story.capability === "mutating" && last && mayHaveActed(last, remote?.state.kind))
      fault(
        "not_applied is certain",
        `${call}: ${last.reply?.kind ?? "nothing"} ${remote?.state.kind ?? ""} ${JSON.stringify(story.settled)}`,
      );
  }
  const bound = new Map<string, string>();
  for (const [call, { key, certainty, turnedOut }] of calls) {
    if (key === undefined) continue;
    const before = bound.get(key);
    if (before !== undefined && legs.some(({ nonce }) => callOf.get(nonce) === call))
      fault("a key is sent once unless it is free again", `${key}: ${before} and ${call}`);
    if (certainty !== "not_applied" && turnedOut !== "not_applied") bound.set(key, call);
  }
}

function mayHaveActed({ reply }: Leg, task: string | undefined): boolean {
  if (reply === undefined || reply.kind === "lost" || reply.kind === "result") return true;
  if (reply.kind === "task") return task !== "cancelled";
  return reply.kind === "rpc_error" && reply.code !== -32601 && reply.code !== -32602;
}
