/** `/debug/api/state/{stream}`, `/debug/api/streams`, `/debug/api/head`: the actors as they were, and the log they are folded from. */
import type { Reader } from "../../log/reader.ts";
import { answer, badParameter, notThere, pagingOf, present, wordOf } from "./answers.ts";

/** A point of history: after this position, or at this time (milliseconds since the epoch). */
export type Point = { readonly position: number } | { readonly time: number };
/** Folds an actor's state from the log; maps are plain objects. */
export type StateOf = (
  stream: string,
  at: Point,
) => Promise<{ readonly state: unknown; readonly version: number; readonly position: number }>;

const KINDS = ["registry", "server", "session", "system"] as const;
/** `names` holds types too: they have no first event. The index on (stream, version) gives both ends without a scan. */
const STREAMS = `select * from (
    select n.name as stream, case instr(n.name, '/') when 0 then n.name else substr(n.name, 1, instr(n.name, '/') - 1) end as kind,
      (select max(version) from events where stream = n.id) as version,
      (select position from events where stream = n.id order by version limit 1) as position,
      (select position from events where stream = n.id order by version desc limit 1) as lastPosition
    from names n)
  where position > ?1 and (?2 is null or kind = ?2) order by position limit ?3`;
const KNOWN = "select 1 as known from events where stream = (select id from names where name = ?) limit 1";

/** `?type=` the kind of actor. A row's `position` is the stream's first. */
export function listStreams(reader: Reader, url: URL): Response {
  const { after, limit } = pagingOf(url);
  const streams = reader.query<object>(STREAMS, after, wordOf(url, "type", KINDS) ?? null, limit);
  return answer({ streams, position: reader.head.position });
}

/** `?at=` a position, or a time as ISO 8601; without it, now. */
export async function showState(reader: Reader, stateAt: StateOf, stream: string, url: URL): Promise<Response> {
  if (reader.query<object>(KNOWN, stream).length === 0) throw notThere(`There is no stream ${stream}. /debug/api/streams lists them.`);
  return answer({ stream, ...(await stateAt(stream, pointOf(url.searchParams.get("at"), reader.head.position))) });
}

function pointOf(text: string | null, head: number): Point {
  if (text === null || text === "") return { position: head };
  if (/^\d{1,15}$/.test(text)) {
    if (Number(text) > head) throw badParameter(`at: the log ends at position ${head}`);
    return { position: Number(text) };
  }
  const time = Date.parse(text.replaceAll(" ", "+")); // a plus sign that was not encoded
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time)) throw badParameter("at: a position, or a time such as 2026-01-31T12:00:00Z");
  return { time };
}

/** `checkpoint` is the signed head as it was last written beside the log. */
export const showHead = ({ id, head }: Reader, checkpoint: string | undefined): Response =>
  answer(present({ log: id, ...head, checkpoint }));
