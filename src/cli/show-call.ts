/** One call: what was asked, decided and answered, from the log. */

import { showInvisible } from "../../actors/visible-text.ts";
import type { Envelope } from "../../events/envelope.ts";
import { argumentsIn } from "../calls/asked.ts";
import { type Interruptions, interruptionsOf } from "../calls/legs.ts";
import type { Reader } from "../log/reader.ts";
import { factsOf, shortIds } from "./event-line.ts";
import { bold, inline, jsonText, time } from "./print.ts";
import { interruptionLines, legFacts } from "./show-legs.ts";
import { table } from "./table.ts";

interface CallRow {
  readonly call: string;
  /** Its name. */
  readonly session: string;
  readonly sessionId: string;
  readonly agent: string | null;
  readonly name: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly capability: string | null;
  readonly status: string;
  readonly certainty: string | null;
  readonly code: string | null;
  readonly requestedAt: number;
  readonly dispatchedAt: number | null;
  readonly endedAt: number | null;
}
interface DoubtRow {
  readonly since: number;
  readonly resolvedAt: number | null;
  readonly outcome: string | null;
  readonly by: string | null;
}
export interface CallHistory extends CallRow, Interruptions {
  readonly kind: "call";
  readonly doubt?: DoubtRow;
  /** Redacted; absent when they were erased. */
  readonly arguments?: unknown;
  readonly result?: unknown;
  /** Of whoever resolved its doubt. */
  readonly note?: unknown;
  /** `ms`: since the request. */
  readonly timeline: readonly (Envelope & { readonly ms: number })[];
  readonly position: number;
}

const CALL = `select c.call, coalesce(s.name, c.session) as session, c.session as sessionId, c.agent, c.name, c.server, c.tool, c.capability, c.status,
  c.certainty, c.code, c.requested_at as requestedAt, c.dispatched_at as dispatchedAt, c.ended_at as endedAt
  from calls c left join sessions s on s.id = c.session where c.call = ?`;
const DOUBT = "select since, resolved_at as resolvedAt, outcome, by from doubts where call = ?";

export function callHistory(reader: Reader, id: string): CallHistory | undefined {
  const row = reader.query<CallRow>(CALL, id)[0];
  if (!row) return undefined;
  const events = reader.eventsOfCall(id);
  const doubt = reader.query<DoubtRow>(DOUBT, id)[0];
  /** The newest free value of these events, a large one read in. */
  const payload = (...types: readonly string[]) => {
    const event = events.findLast((one) => types.includes(one.type) && one.payload !== undefined);
    return event && reader.payload(event.position);
  };
  const asked = events.findLast(isRewritten) ?? events[0];
  const resolution = payload("call.resolved");
  const note = isNote(resolution) ? resolution.note : undefined;
  return {
    kind: "call",
    ...row,
    ...(doubt && { doubt }),
    ...interruptionsOf(events, (position) => reader.payload(position)),
    arguments: argumentsIn(asked?.type ?? "", asked && payload(asked.type)),
    result: isNote(resolution) ? payload("call.settled") : payload("call.settled", "call.resolved"),
    ...(note !== undefined && note !== "" && { note }),
    timeline: events.map((event) => ({ ...event, ms: event.at - row.requestedAt })),
    position: reader.head.position,
  };
}

const isRewritten = ({ type, data }: Envelope): boolean => type === "call.checked" && (data as { digest?: string }).digest !== undefined;

export function printCall(history: CallHistory): string {
  const { call, name, server, tool, capability, session, sessionId, agent, requestedAt, endedAt, timeline } = history;
  const rows = timeline.map(({ ms, position, stream, type, data }) => {
    const { call: _, ...facts } = data as Readonly<Record<string, unknown>>;
    return [ms, position, shortIds(stream), type, legFacts(type, facts) ?? factsOf(facts)];
  });
  return [
    bold(inline(`${name}  ${call}`)),
    ...(server === null ? [] : [inline(`tool       ${tool} of ${server}, ${capability}`)]),
    inline(`session    ${session} (${sessionId}), agent ${agent ?? "unknown"}`),
    `asked      ${time(requestedAt)}`,
    `end        ${endOf(history)}${endedAt === null ? "" : `, after ${endedAt - requestedAt} ms`}`,
    ...doubtOf(history.doubt),
    ...interruptionLines(history),
    `arguments  ${history.arguments === undefined ? "(erased, or none)" : jsonText(history.arguments)}`,
    ...(history.note === undefined ? [] : [`note       ${showInvisible(String(history.note))}`]),
    `result     ${showInvisible(resultText(history.result)).replaceAll("\n", `\n${" ".repeat(11)}`)}`,
    "",
    table(["MS", "POSITION", "STREAM", "EVENT", "WHAT"], rows, { last: "wrap" }),
  ].join("\n");
}

function endOf({ status, certainty, code, legs }: CallHistory): string {
  const { question, task } = legs.at(-1) ?? {};
  const what = question ?? task;
  if (status === "waiting" && what !== undefined) return `none yet, it waits for ${what}`;
  if (status !== "ended") return `none yet, it is ${status.replace("_", " ")}`;
  return code === null ? `${certainty}` : `${certainty} (${code})`;
}

function doubtOf(doubt: DoubtRow | undefined): string[] {
  if (!doubt) return [];
  const since = `in doubt since ${time(doubt.since)}`;
  if (doubt.resolvedAt === null) return [`doubt      ${since}`];
  return [inline(`doubt      ${since}, resolved ${time(doubt.resolvedAt)}: ${doubt.outcome}, by ${doubt.by}`)];
}

/** What people say of a doubt, and not what a server answered late. */
const isNote = (value: unknown): value is { note?: unknown } => typeof value === "object" && value !== null && !("content" in value);

/** The text blocks of a tool's result; anything else as JSON. */
function resultText(result: unknown): string {
  if (result === undefined) return "(none, or erased)";
  const content = typeof result === "object" && result !== null && "content" in result ? result.content : undefined;
  const texts = Array.isArray(content) ? content.map((block: { text?: unknown }) => block?.text) : [];
  return texts.length > 0 && texts.every((text) => typeof text === "string") ? texts.join("\n") : jsonText(result);
}
