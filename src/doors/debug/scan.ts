/** Pages through the log by position in short statements, so that a search for rare rows never holds up calls. */
import { setImmediate as breathe } from "node:timers/promises";
import type { Reader } from "../../log/reader.ts";
import type { Value } from "../../log/statements.ts";
import type { Paging } from "./answers.ts";

/** So many positions are looked at in one statement. */
const WINDOW = 10_000;

export interface Positioned {
  readonly position: number;
}

/**
 * At most `limit` rows with after < position ≤ head, in order. `sql` is a constant with the placeholders ?1 (after), ?2 (up to) and ?3 (limit),
 * then those of `values`. Stops early when the client is gone.
 */
export async function scan<Row extends Positioned>(
  reader: Pick<Reader, "query">,
  sql: string,
  { after, limit, head, signal }: Paging & { readonly head: number; readonly signal: AbortSignal },
  ...values: readonly Value[]
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = after; from < head && rows.length < limit && !signal.aborted; from += WINDOW) {
    if (from > after) await breathe();
    rows.push(...reader.query<Row>(sql, from, Math.min(from + WINDOW, head), limit - rows.length, ...values));
  }
  return rows;
}
