/** One session: who it is, its calls, and its own events, from the log. */
import type { Envelope } from "../../events/envelope.ts";
import type { Reader } from "../log/reader.ts";
import { factsOf } from "./event-line.ts";
import { bold, inline, time } from "./print.ts";
import { table } from "./table.ts";

interface SessionRow {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly client: string;
  readonly era: string;
  readonly profile: string;
  readonly openedAt: number;
}
interface CallRow {
  readonly call: string;
  readonly name: string;
  readonly status: string;
  readonly certainty: string | null;
  readonly code: string | null;
  readonly requestedAt: number;
  readonly endedAt: number | null;
}
export interface SessionHistory extends SessionRow {
  readonly kind: "session";
  readonly calls: readonly CallRow[];
  /** Its stream. `ms`: since it was opened. */
  readonly timeline: readonly (Envelope & { readonly ms: number })[];
  readonly position: number;
}

const SESSION =
  "select id, name, agent, client, era, profile, opened_at as openedAt from sessions where id = ?1 or name = ?1 order by opened_at desc limit 1";
const CALLS = `select call, name, status, certainty, code, requested_at as requestedAt, ended_at as endedAt
  from calls where session = ? order by first_position`;

/** By id or by name; of several with one name the newest. */
export function sessionHistory(reader: Reader, idOrName: string): SessionHistory | undefined {
  const row = reader.query<SessionRow>(SESSION, idOrName)[0];
  if (!row) return undefined;
  const timeline = [...reader.read(`session/${row.id}`)].map((event) => ({ ...event, ms: event.at - row.openedAt }));
  return { kind: "session", ...row, calls: reader.query<CallRow>(CALLS, row.id), timeline, position: reader.head.position };
}

export function printSession({ id, name, agent, client, era, profile, openedAt, calls, timeline }: SessionHistory): string {
  const ends = calls.map(({ status, certainty, code }) => (status === "ended" ? (code ?? certainty ?? "ended") : status));
  const counts = Object.entries(Object.groupBy(ends, (end) => end)).map(([end, those = []]) => `${those.length} ${end}`);
  return [
    bold(inline(`${name}  ${id}`)),
    inline(`agent      ${agent}, client ${client} (${era}), profile ${profile}`),
    `opened     ${time(openedAt)}`,
    `calls      ${calls.length}${counts.length > 0 ? `: ${counts.join(", ")}` : ""}`,
    "",
    table(
      ["MS", "POSITION", "EVENT", "WHAT"],
      timeline.map(({ ms, position, type, data }) => [ms, position, type, factsOf(data)]),
      { last: "wrap" },
    ),
  ].join("\n");
}
