/** Calls that were sent and whose outcome nobody knows, and how each doubt ended. Stands after `calls`, whose fixed columns it copies. */
import type { CallResolved, CallSettled } from "../../../events/call.ts";
import type { EventOf } from "../../../events/define.ts";
import type { Apply, Projection } from "../projection.ts";
import { sessionId } from "./session-id.ts";

export interface DoubtRow {
  readonly call: string;
  readonly session: string;
  readonly agent: string | null;
  readonly server: string | null;
  readonly tool: string | null;
  readonly capability: string;
  readonly digest: string | null;
  /** When the doubt began. */
  readonly since: number;
  readonly code: string | null;
  /** Null while the doubt stands. */
  readonly resolved_at: number | null;
  readonly outcome: string | null;
  readonly by: string | null;
}

const settled: Apply = (tx, { at, data }) => {
  const { call, session, capability, certainty, code } = data as EventOf<typeof CallSettled>["data"];
  if (certainty !== "in_doubt") return;
  tx.run(
    `insert or replace into doubts (call, session, agent, server, tool, capability, digest, since, code)
     select ?1, ?2, c.agent, c.server, c.tool, ?3, c.digest, ?4, ?5 from (select 1) left join calls c on c.call = ?1`,
    call,
    sessionId(session),
    capability,
    at,
    code ?? null,
  );
};

const resolved: Apply = (tx, { at, data }) => {
  const { call, outcome, by } = data as EventOf<typeof CallResolved>["data"];
  tx.run("update doubts set resolved_at = ?, outcome = ?, by = ? where call = ?", at, outcome, by, call);
};

export const doubts: Projection = {
  name: "doubts",
  version: 1,
  tables: `
    create table doubts (
      call text primary key, session text not null, agent text, server text, tool text, capability text not null, digest text,
      since integer not null, code text, resolved_at integer, outcome text, by text
    ) strict, without rowid;
  `,
  drop: ["doubts"],
  on: { "call.settled": settled, "call.resolved": resolved },
};
