/** The whole log turn by turn, for folding: projections, and whoever verifies them. */
import type { EventDefinition } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import { type EventRow, envelopeOf, SELECT_EVENTS } from "./rows.ts";
import type { Statements } from "./statements.ts";

const PAGE = 1000;

/** The events of each turn after a position, in order. Short pages: a long read would keep the WAL from being reset. */
export function* turnsAfter(
  tx: Statements,
  definitions: ReadonlyMap<string, EventDefinition>,
  position: number,
): Iterable<readonly Envelope[]> {
  let turn: Envelope[] = [];
  for (let after = position; ; ) {
    const rows = tx.all<EventRow>(`${SELECT_EVENTS} where e.position > ? order by e.position limit ${PAGE}`, after);
    for (const row of rows) {
      if (turn.length > 0 && turn[0]?.turn !== row.turn) {
        yield turn;
        turn = [];
      }
      turn.push(envelopeOf(row, definitions));
    }
    after = rows.at(-1)?.position ?? after;
    if (rows.length < PAGE) break;
  }
  if (turn.length > 0) yield turn;
}
