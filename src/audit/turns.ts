/** The recorded inputs with the events that followed from them, turn by turn: for deciding again what was decided then. */
import type { Envelope } from "../../events/envelope.ts";
import type { Reader } from "../log/reader.ts";
import type { Command } from "../runtime/event-log.ts";

const PAGE = 500;

export interface TurnRow {
  readonly turn: number;
  readonly at: number;
  readonly to: string;
  /** JSON. */
  readonly command: string;
  readonly build: string;
  readonly version: string;
}
export interface RecordedTurn {
  readonly row: TurnRow;
  readonly events: readonly Envelope[];
}
const TURNS = `select t.turn, t.at, n.name as "to", t.command, b.build, b.version from turns t
  join names n on n.id = t."to" join builds b on b.id = t.build where t.turn > ? and t.turn <= ? order by t.turn limit ${PAGE}`;

/** In global order, up to the newest turn at the time of the call: a running program goes on writing. */
export function* recordedTurns(reader: Reader): Iterable<RecordedTurn> {
  const stored = eventsByTurn(reader);
  for (const row of turnRows(reader, reader.head.turn)) yield { row, events: stored.of(row.turn) };
}

function* turnRows(reader: Reader, newest: number): Iterable<TurnRow> {
  for (let last = 0; ; ) {
    const page = reader.query<TurnRow>(TURNS, last, newest);
    yield* page;
    last = page.at(-1)?.turn ?? last;
    if (page.length < PAGE) return;
  }
}

/** The events turn by turn, read ahead by the page. Turns must be asked for in order. */
function eventsByTurn(reader: Reader): { of(turn: number): readonly Envelope[] } {
  let ahead: Envelope[] = [];
  let after = 0;
  let isOver = false;
  return {
    of(turn) {
      while (!isOver && (ahead.at(-1)?.turn ?? turn) <= turn) {
        const page = reader.page({ after, limit: PAGE });
        after = page.at(-1)?.position ?? after;
        isOver = page.length < PAGE;
        ahead = [...ahead, ...page];
      }
      const next = ahead.findIndex((event) => event.turn > turn);
      const events = next < 0 ? ahead : ahead.slice(0, next);
      ahead = next < 0 ? [] : ahead.slice(next);
      return events;
    },
  };
}

/** The input with its free values again, as far as they are not erased: decisions never look into them. */
export function commandOf({ command }: TurnRow, stored: readonly Envelope[]): Command {
  const parsed = JSON.parse(command) as Command;
  const { payload, ...rest } = parsed;
  const bearer = typeof payload === "object" && payload !== null && "$event" in payload ? payload.$event : undefined;
  if (typeof bearer !== "number") return parsed;
  const value = stored[bearer]?.payload;
  return value === undefined ? rest : { ...rest, payload: value };
}
