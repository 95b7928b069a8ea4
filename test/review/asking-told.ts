/** What agents were told in a random life with questions and tasks, and what may be told to nobody. */
import { verifyDeep } from "../../src/audit/deep.ts";
import { recordedTurns } from "../../src/audit/turns.ts";
import type { Fault, Story } from "./asking-checks.ts";
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
  for (const [id, ends] of questions) if (ends.length === 0) fault("every question comes to an end", id);
  for (const [id, { ends }] of tasks) if (ends.length !== 1) fault("every task comes to an end", id);
  for (const { end, life: of, name, nonce } of life.asked)
    if (!end && of === life.number) fault("everybody who waits is answered", `${nonce} ${name}`);
  for (const { response, life: of } of life.inBand) if (!response && of === life.number) fault("every server that asks is answered", "");
  const names = [...life.sealed.names("question"), ...life.sealed.names("task")];
  if (names.length > 0) fault("nothing stays sealed", `${names.length}`);
  for (const { detail, turn } of verifyDeep(life.log, "test").mismatches) fault("every turn can be decided again", `${turn}: ${detail}`);
}
