/** Stream and type names as small integers: four of them a call are cheaper in every row and index than their text. */
import type { Statements } from "./statements.ts";

export interface Names {
  /** The id of a name, a new one if it has none yet. `fresh` is called then: the row must be in the same or an earlier transaction. */
  idOf(name: string, fresh: (id: number, name: string) => void): number;
  /** Free the memory of a name that is stored. */
  forget(name: string): void;
}

/** Ids are handed out here and not by the database, because rows are encoded before they are written. */
export function namesOf(tx: Statements): Names {
  const known = new Map<string, number>();
  let last = tx.get<{ id: number | null }>("select max(id) as id from names")?.id ?? 0;
  return {
    idOf(name, fresh) {
      const id = known.get(name) ?? tx.get<{ id: number }>("select id from names where name = ?", name)?.id;
      if (id !== undefined) {
        known.set(name, id);
        return id;
      }
      known.set(name, ++last);
      fresh(last, name);
      return last;
    },
    forget: (name) => void known.delete(name),
  };
}
