/** Agents' sessions, and the legacy MCP connections that belong to them. */
import type { EventOf } from "../../../events/define.ts";
import type { SessionBequeathed, SessionConnected, SessionDisconnected, SessionOpened } from "../../../events/session.ts";
import type { Apply, Projection } from "../projection.ts";
import { sessionId } from "./session-id.ts";

export interface SessionRow {
  readonly id: string;
  readonly agent: string;
  readonly name: string;
  readonly client: string;
  readonly era: string;
  readonly profile: string;
  readonly opened_at: number;
  /** The session that inherited what this one had not announced. */
  readonly heir: string | null;
  /** 1 when there may be outcomes that it has not announced, and nobody has inherited them. */
  readonly owed: number;
}

export interface ConnectionRow {
  readonly id: string;
  readonly session: string;
  /** 0 once the client has ended it: its id is never served again. */
  readonly open: number;
  /** Of `session.connected`: its payload holds the `initialize` parameters. */
  readonly opened_position: number;
}

const opened: Apply = (tx, { stream, at, data }) => {
  const { agent, name, client, era, profile } = data as EventOf<typeof SessionOpened>["data"];
  tx.run(
    "insert or replace into sessions (id, agent, name, client, era, profile, opened_at) values (?, ?, ?, ?, ?, ?, ?)",
    sessionId(stream),
    agent,
    name,
    client,
    era,
    profile,
    at,
  );
};

const connected: Apply = (tx, { stream, position, data }) => {
  const { connection } = data as EventOf<typeof SessionConnected>["data"];
  tx.run(
    "insert or replace into connections (id, session, open, opened_position) values (?, ?, 1, ?)",
    connection,
    sessionId(stream),
    position,
  );
};

const disconnected: Apply = (tx, { data }) => {
  const { connection } = data as EventOf<typeof SessionDisconnected>["data"];
  tx.run("update connections set open = 0 where id = ?", connection);
};

const bequeathed: Apply = (tx, { stream, data }) => {
  const { to } = data as EventOf<typeof SessionBequeathed>["data"];
  tx.run("update sessions set heir = ?, owed = 0 where id = ?", to, sessionId(stream));
};

const owing: Apply = (tx, { stream }) => {
  tx.run("update sessions set owed = 1 where id = ?", sessionId(stream));
};

export const sessions: Projection = {
  name: "sessions",
  version: 3,
  tables: `
    create table sessions (
      id text primary key, agent text not null, name text not null, client text not null, era text not null, profile text not null,
      opened_at integer not null, heir text, owed integer not null default 0
    ) strict, without rowid;
    create index sessions_by_name on sessions (agent, name);
    create table connections (
      id text primary key, session text not null, open integer not null, opened_position integer not null
    ) strict, without rowid;
  `,
  drop: ["sessions", "connections"],
  on: {
    "session.opened": opened,
    "session.connected": connected,
    "session.disconnected": disconnected,
    "session.bequeathed": bequeathed,
    "session.inherited": owing,
    "call.unclaimed": owing,
  },
};
