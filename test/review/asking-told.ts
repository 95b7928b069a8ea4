/** What agents were told in a random life with questions and tasks, and what may be told to nobody. */
import type { SessionState } from "../../actors/session-commands.ts";
import { verifyDeep } from "../../src/audit/deep.ts";
import { recordedTurns } from "../../src/audit/turns.ts";
import { refoldOf } from "../../src/audit/verify-projections.ts";
import { projections } from "../../src/log/projections/all.ts";
import type { Fault, Story } from "./asking-checks.ts";
import { SESSIONS } from "./asking-draws.ts";
import type { Life } from "./asking-life.ts";

const NOTICE = /^Notice about an earlier call: .*?\((c_[0-9a-z-]+)(?:, task t_[0-9a-f]+)?\):/s;

/** Every text block that reached an agent, with the request that it answered. */
const blocksOf = ({ asked }: Life) =>
  asked.flatMap((entry) => {
    const content = (entry.told?.["content"] ?? []) as { text?: string }[];
    return content.map(({ text = "" }) => ({ entry, text }));
  });

export function compareTold(life: Life, { calls, tasks }: Story, fault: Fault): void {
  const announced = new Map<string, number>();
  for (const { text } of blocksOf(life)) {
    const [, call] = NOTICE.exec(text) ?? [];
    if (call !== undefined) announced.set(call, (announced.get(call) ?? 0) + 1);
  }
  for (const [call, times] of announced)
    if (times > 1 + (calls.get(call)?.resolved ?? 0)) fault("an outcome is announced once", `${call} ${times} times`);
  for (const [id, { call, deliveredAt }] of tasks) {
    if (deliveredAt === undefined) continue;
    if (life.diedAt.some(([from, to]) => deliveredAt > from && deliveredAt <= to)) continue; // its process may have died on the way
    const asked = life.asked.some(({ name, args, told }) => name === "call_status" && told && (args["id"] === id || args["id"] === call));
    const byAnswer = life.asked.some(({ name, args, told }) => {
      return name === "mcp_answer" && told && life.world.views.question(String(args["question_id"]))?.callId === call;
    });
    const answered = life.asked.some(({ end }) => end?.call === call && end.parked === undefined && end.code !== "cancelled");
    if (!asked && !byAnswer && !answered && !announced.has(call)) fault("what is delivered was told", `${id} of ${call}`);
  }
}

/** What the log says was told with an answer was told, or is to be told again. */
export function compareNotices(life: Life, { tellings }: Story, fault: Fault): void {
  const shown = new Set(blocksOf(life).flatMap(({ text }) => NOTICE.exec(text)?.[1] ?? []));
  const pending = Object.keys(SESSIONS).flatMap((id) => (life.world.runtime.stateOf(`session/${id}`) as SessionState).notices);
  const known = new Set<unknown>(pending);
  for (const { data, type } of tellings) if (type === "outcome.told") for (const id of (data as { ids: string[] }).ids) known.add(id);
  for (const { data, type, position } of tellings) {
    const { notices = [] } = data as { notices?: string[] };
    if (type !== "call.answered" || life.diedAt.some(([from, to]) => position > from && position <= to)) continue;
    for (const id of notices)
      if (id.startsWith("c_") && !shown.has(id) && !known.has(id)) fault("a notice that nobody got is told again", id);
  }
}

/** Nobody answers for another agent. */
export function compareForeign(life: Life, fault: Fault): void {
  for (const { name, args, session, told } of life.asked) {
    const question = name === "mcp_answer" && told ? life.world.views.question(String(args["question_id"])) : undefined;
    if (question && question.agent !== SESSIONS[session] && told?.["isError"] !== true) fault("nobody answers for others", question.id);
  }
}

/** A server that asks on its connection hears what the log says, if that connection is still there. */
export function compareHeard({ inBand, log }: Life, { questions }: Story, fault: Fault): void {
  const asked = new Map(inBand.map((entry) => [entry.message, entry]));
  for (const { data, position } of log.page({ after: 0, limit: 100_000, type: "call.questioned" })) {
    const { source, question } = data as { source: string; question?: string };
    if (source !== "in_band" || question === undefined) continue;
    const { messages } = log.payload(position) as { messages: Readonly<Record<string, string>> };
    const { response, isWithdrawn } = asked.get(Object.values(messages)[0] ?? "") ?? {};
    if (!response || isWithdrawn?.()) continue;
    const [end = "none"] = questions.get(question)?.ends ?? [];
    const isTold = { accept: end === "answered", decline: end !== "answered", cancel: true }[response.action];
    if (!isTold) fault("a server that asks hears what the log says", `${question}: ${end}, ${response.action}`);
  }
}

/** Answers go to servers, and are written down nowhere. */
export function compareCanaries({ log, sealed, canaries }: Life, fault: Fault): void {
  const places: [string, string][] = [];
  for (const { row, events } of recordedTurns(log)) {
    places.push([`the command of a turn for ${row.to}`, row.command]);
    for (const { type, data, position } of events)
      places.push([type, JSON.stringify(data)], [`the payload of ${type}`, JSON.stringify(log.payload(position)) ?? ""]);
  }
  for (const { state } of log.query<{ state: string }>("select state from snapshots")) places.push(["a snapshot", state]);
  for (const kind of ["question", "task"])
    for (const { name } of sealed.names(kind)) places.push([`what is sealed of a ${kind}`, sealed.get(kind, name) ?? ""]);
  for (const [where, words] of places) {
    const found = words.includes("canary") && canaries.find((value) => words.includes(value));
    if (found) fault("answers are written down nowhere", `${where}: ${words.slice(0, 300)}`);
  }
}

/** At the end of a life in which everything was answered. */
export function compareEnd(life: Life, { calls, questions, tasks }: Story, fault: Fault): void {
  for (const [call, { ends }] of calls) if (ends !== 1) fault("every call comes to an end", call);
  for (const [id, { ends }] of questions) if (ends.length === 0) fault("every question comes to an end", id);
  for (const [id, { ends }] of tasks) if (ends.length !== 1) fault("every task comes to an end", id);
  for (const { end, life: of, name, nonce } of life.asked)
    if (!end && of === life.number) fault("everybody who waits is answered", `${nonce} ${name}`);
  for (const { response, life: of } of life.inBand) if (!response && of === life.number) fault("every server that asks is answered", "");
  const timers = life.log.query<{ key: string }>("select key from timers where key like 'question:%' or key like 'task:%'");
  if (timers.length > 0) fault("nobody is woken for what is over", `${timers.length}`);
  compareProjections(life, fault);
  const names = [...life.sealed.names("question"), ...life.sealed.names("task")];
  if (names.length > 0) fault("nothing stays sealed", `${names.length}`);
  for (const { detail, turn } of verifyDeep(life.log, "test").mismatches) fault("every turn can be decided again", `${turn}: ${detail}`);
}

function compareProjections({ log }: Life, fault: Fault): void {
  using refold = refoldOf(projections);
  for (const { events } of recordedTurns(log)) refold.apply(events);
  for (const table of projections.flatMap(({ drop }) => drop)) {
    const rows = (all: readonly object[]) => all.map((row) => JSON.stringify(row)).toSorted();
    const sql = `select * from "${table}"`;
    if (!Bun.deepEquals(rows(refold.tx.all(sql)), rows(log.query(sql)))) fault("the projections are the fold of the log", table);
  }
}
