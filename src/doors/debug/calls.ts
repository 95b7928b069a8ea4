/** `/debug/api/calls`, `/debug/api/calls/{id}`, `/debug/api/doubts`: what was asked, what was decided and what became of it. */

import type { Envelope } from "../../../events/envelope.ts";
import { argumentsIn } from "../../calls/asked.ts";
import { interruptionsOf } from "../../calls/legs.ts";
import type { Reader } from "../../log/reader.ts";
import { answer, notThere, pagingOf, present, textOf, wordOf } from "./answers.ts";
import { type Positioned, scan } from "./scan.ts";

const STATES = [
  "requested",
  "checking",
  "asking",
  "queued",
  "in_flight",
  "waiting",
  "ended",
  "answered",
  "not_applied",
  "in_doubt",
] as const;
const CAPABILITIES = ["read", "idempotent", "mutating"] as const;

const COLUMNS = `c.call as id, c.call, coalesce(s.name, c.session) as session, c.session as sessionId, c.agent, c.name, c.server, c.tool, c.capability,
  c.status, c.certainty, c.code, c.is_error as isError, d.outcome as resolution, c.digest as argumentsDigest,
  c.requested_at as requestedAt, c.dispatched_at as dispatchedAt, c.ended_at as endedAt, c.ended_at - c.requested_at as durationMs,
  c.first_position as position, c.last_position as lastPosition`;
const JOINS = "left join sessions s on s.id = c.session left join doubts d on d.call = c.call";
const BEGINNINGS = "e.type in (select id from names where name in ('call.requested', 'call.refused'))";
const FILTERS = `(?4 is null or c.status = ?4 or (c.status = 'ended' and c.certainty = ?4)) and (?5 is null or c.capability = ?5)
  and (?6 is null or c.session = ?6 or s.name = ?6) and (?7 is null or c.server = ?7) and (?8 is null or c.name = ?8)
  order by e.position limit ?3`;
/** Driven by the events, since calls have no order of their own: `cross join` keeps SQLite from turning that around. */
const FROM_EVENTS = `select ${COLUMNS} from events e cross join calls c on c.call = e.call and c.first_position = e.position ${JOINS}`;
const LIST = `${FROM_EVENTS} where e.position > ?1 and e.position <= ?2 and ${BEGINNINGS} and ${FILTERS}`;
/** Of a session only its own stream is read: the plus signs keep SQLite from walking through positions. */
const OF_SESSION = `${FROM_EVENTS} where +e.position > ?1 and +e.position <= ?2 and ${BEGINNINGS}
  and e.stream in (select id from names where name in (select 'session/' || id from sessions where id = ?6 or name = ?6)) and ${FILTERS}`;
const ONE = `select ${COLUMNS} from calls c ${JOINS} where c.call = ?`;
const DOUBTS = `select d.call, coalesce(s.name, d.session) as session, d.session as sessionId, d.agent, d.server, d.tool, d.capability,
  d.digest as argumentsDigest, d.since, d.code, d.resolved_at as resolvedAt, d.outcome, d.by, c.first_position as position
  from doubts d join calls c on c.call = d.call left join sessions s on s.id = d.session
  where c.first_position > ?1 and (?2 is null or (d.resolved_at is null) = (?2 = 'open')) and (?3 is null or d.capability = ?3)
  order by c.first_position limit ?4`;

interface Row extends Positioned {
  readonly isError: number | null;
}
const shown = ({ isError, ...row }: Row): Record<string, unknown> => present({ ...row, isError: isError === null ? null : isError === 1 });

/** Rows of these calls, in this order; calls that are not in the log are left out. */
export const callRows = (reader: Reader, calls: readonly string[]): readonly object[] =>
  calls.flatMap((call) => reader.query<Row>(ONE, call).map(shown));

/** `?status=` a state or a certainty, `?type=` the capability, `?session=` id or name, `?server=`, `?name=`. */
export async function listCalls(reader: Reader, url: URL, signal: AbortSignal): Promise<Response> {
  const head = reader.head.position;
  const paging = pagingOf(url);
  const session = textOf(url, "session") ?? null;
  const filters = [
    wordOf(url, "status", STATES) ?? null,
    wordOf(url, "type", CAPABILITIES) ?? null,
    session,
    textOf(url, "server") ?? null,
    textOf(url, "name") ?? null,
  ];
  const rows =
    session === null
      ? await scan<Row>(reader, LIST, { ...paging, head, signal }, ...filters)
      : reader.query<Row>(OF_SESSION, paging.after, head, paging.limit, ...filters);
  return answer({ calls: rows.map(shown), position: head });
}

/** One call from its request to its end and beyond, with its arguments and its result as they are stored. */
export function showCall(reader: Reader, id: string): Response {
  const head = reader.head.position;
  const row = reader.query<Row>(ONE, id)[0];
  if (!row) throw notThere(`There is no call ${id} in this log.`);
  const events = reader.eventsOfCall(id);
  const began = events[0]?.at ?? 0;
  const doubt = reader.query<{ since: number }>(
    "select since, code, resolved_at as resolvedAt, outcome, by from doubts where call = ?",
    id,
  )[0];
  return answer({
    ...shown(row),
    firstPosition: row.position,
    ...(doubt && { doubt: present({ ...doubt }) }),
    ...interruptionsOf(events, (position) => payloadOf(reader, events, (event) => event.position === position)),
    arguments: argumentsIn(
      events[0]?.type ?? "",
      payloadOf(reader, events.slice(0, 1), () => true),
    ),
    result: payloadOf(reader, events, isOutcome),
    timeline: events.map((event) => ({ ms: event.at - began, ...verdictOf(event), ...event })),
    position: head,
  });
}

export function listDoubts(reader: Reader, url: URL): Response {
  const { after, limit } = pagingOf(url);
  const status = wordOf(url, "status", ["open", "resolved"]) ?? null;
  const doubts = reader.query<Positioned>(DOUBTS, after, status, wordOf(url, "type", CAPABILITIES) ?? null, limit);
  return answer({ doubts: doubts.map((row) => present({ ...row })), position: reader.head.position });
}

/** The newest value of these events; absent when there is none or it was erased. A blob that is missing must not hide the rest of the call. */
function payloadOf(reader: Reader, events: readonly Envelope[], isMeant: (event: Envelope) => boolean): unknown {
  const event = events.findLast((one) => one.payload !== undefined && isMeant(one));
  try {
    return event && reader.payload(event.position);
  } catch (error) {
    return { missing: error instanceof Error ? error.message : "its blob cannot be read" };
  }
}

/** A resolution by anybody but the server carries a note instead of a result. */
const isOutcome = ({ type, data }: Envelope): boolean =>
  type === "call.settled" || (type === "call.resolved" && (data as { by: string }).by === "server");

/** What an event says about why the call may or may not go on. */
function verdictOf({ type, data }: Envelope): Record<string, unknown> {
  const { rule, code, certainty, reason, stage } = data as {
    stage?: string;
    rule?: string;
    code?: string;
    certainty?: string;
    reason?: string;
  };
  const verdict: Readonly<Record<string, string | undefined>> = {
    "call.requested": stage ?? "allowed",
    "call.checked": stage ?? "checked",
    "call.admitted": "allowed",
    "call.refused": "refused",
    "call.queued": "waits",
    "call.dispatched": "sent",
    "call.rejected": "rejected",
    "call.repeated": "sent again",
    "call.settled": certainty,
    "call.answered": certainty,
    "call.suspended": "waits",
    "call.resumed": "goes on",
  };
  return present({ verdict: verdict[type], rule, code, reason });
}
