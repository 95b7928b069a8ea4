/** What a server asked in the middle of a call and the requests that went out for it, as lines for people. */
import type { EventOf } from "../../events/define.ts";
import type { Field, GivenAnswer } from "../../events/elicitation.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { CallQuestioned } from "../../events/leg.ts";
import type { AskedView, Interruptions, LegView } from "../calls/legs.ts";
import { factsOf, shortIds } from "./event-line.ts";
import { inline, time } from "./print.ts";
import { table } from "./table.ts";

const label = (word: string, at: number): string => (at === 0 ? word : "").padEnd(11);

/** Nothing for a call that one request and its answer were all of. */
export function interruptionLines({ questions, legs }: Interruptions): string[] {
  const isPlain = legs.length < 2 && legs.every(({ suspendedAt }) => suspendedAt === undefined);
  return [
    ...questions.map((one, at) => `${label("questions", at)}${askedLine(one)}`),
    ...(isPlain ? [] : legs.map((leg, at) => `${label("requests", at)}${legLine(leg)}`)),
  ];
}

function askedLine({ round, key, message, treatment, rule, responder, question, answer, fields }: AskedView): string {
  const put = question === undefined ? "" : `, ${question}`;
  const said = answer && `; ${wordsOf(answer)}`;
  const quoted = message === undefined ? "" : ` "${inline(message)}"`;
  return `round ${round}, ${inline(key)}:${quoted} (${fields.map(inline).join(", ") || "no fields"}) -> ${treatment}${responder ? ` by ${responder}` : ""}, rule ${rule}${put}${said ?? ""}`;
}

/** Names of fields, never values. */
export function wordsOf({ action, by, rule, fields }: Omit<GivenAnswer, "key">): string {
  const named = fields.length > 0 ? `: ${fields.map(inline).join(", ")}` : "";
  return `${action} by ${by}${rule === undefined ? "" : ` (${rule})`}${named}`;
}

function legLine({ leg, sentAt, suspendedAt, question, task }: LegView): string {
  const waits = suspendedAt === undefined ? "" : `, then it waited for ${question ?? task} from ${time(suspendedAt)} on`;
  return `${leg}. sent ${time(sentAt)}${waits}`;
}

type Facts = Readonly<Record<string, unknown>>;

/** What of these events is a list, in words; undefined for others. */
export function legFacts(type: string, facts: Facts): string | undefined {
  if (type === "call.questioned") {
    const { questions, ...rest } = facts as unknown as EventOf<typeof CallQuestioned>["data"];
    return [factsOf(rest), ...questions.map(({ key, treatment, rule }) => `${shortIds(inline(key))}: ${treatment} (${rule})`)].join(" ");
  }
  if (type === "question.opened") {
    const { fields, ...rest } = facts as { fields: readonly Field[] };
    return factsOf({ ...rest, fields: fields.map(({ name }) => name).join(",") });
  }
  if (type !== "call.resumed" && type !== "question.answered" && type !== "question.declined") return undefined;
  const { answers, ...rest } = facts as { answers: readonly GivenAnswer[] };
  return [factsOf(rest), ...answers.map(({ key, ...answer }) => `${shortIds(inline(key))}: ${wordsOf(answer)}`)].join(" ");
}

/** What happened, in the time since it began. */
export const timelineTable = (timeline: readonly (Pick<Envelope, "position" | "type" | "data"> & { readonly ms: number })[]): string =>
  table(
    ["MS", "POSITION", "EVENT", "WHAT"],
    timeline.map(({ ms, position, type, data }) => {
      const { call: _, ...facts } = data as Facts;
      return [ms, position, type, legFacts(type, facts) ?? factsOf(facts)];
    }),
    { last: "wrap" },
  );
