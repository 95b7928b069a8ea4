/** Prepared statements by their text: prepared once a connection, never built from values. */
import type { Database, Statement } from "bun:sqlite";

export type Value = string | number | bigint | null | Uint8Array;

/** What the log, its projections and its readers use of a connection. Texts must be constants: each is prepared once and kept. */
export interface Statements {
  run(sql: string, ...values: Value[]): number;
  get<Row extends object>(sql: string, ...values: Value[]): Row | undefined;
  all<Row extends object>(sql: string, ...values: Value[]): Row[];
  iterate<Row extends object>(sql: string, ...values: Value[]): Iterable<Row>;
  /** The statement itself, for the few that run for every row. */
  prepared(sql: string): Statement<unknown, Value[]>;
  /** Release every statement: a connection with open ones does not close. */
  finalize(): void;
}

/** `run` answers the number of changed rows. Rows are taken to be what the text of the statement says. */
export function statementsOf(db: Database): Statements {
  const prepared = new Map<string, Statement<unknown, Value[]>>();
  const statement = (sql: string) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const made = db.prepare<unknown, Value[]>(sql);
    prepared.set(sql, made);
    return made;
  };
  return {
    prepared: statement,
    run: (sql, ...values) => statement(sql).run(...values).changes,
    get: <Row extends object>(sql: string, ...values: Value[]) => (statement(sql).get(...values) ?? undefined) as Row | undefined,
    all: <Row extends object>(sql: string, ...values: Value[]) => statement(sql).all(...values) as Row[],
    iterate: <Row extends object>(sql: string, ...values: Value[]) => statement(sql).iterate(...values) as Iterable<Row>,
    finalize() {
      for (const one of prepared.values()) one.finalize();
      prepared.clear();
    },
  };
}

/** The first row of a pragma, prepared anew and released at once: some pragmas act, or fix their answer, when they are prepared, and an open statement keeps a database from closing. */
export function pragma(db: Database, text: string): Record<string, unknown> {
  const statement = db.prepare<Record<string, unknown>, []>(`pragma ${text}`);
  try {
    return statement.get() ?? {};
  } finally {
    statement.finalize();
  }
}
