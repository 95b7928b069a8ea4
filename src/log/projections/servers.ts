/** The downstream servers that are registered, and the state of each one's connection. */
import type { EventOf } from "../../../events/define.ts";
import type { ServerRefused, ServerRegistered, ServerUnregistered } from "../../../events/registry.ts";
import type { ServerConnected, ServerDisconnected } from "../../../events/server.ts";
import type { Apply, Projection } from "../projection.ts";

export interface ServerRow {
  readonly name: string;
  /** Of the incarnation; null for an entry that was refused before it ever was registered. */
  readonly id: string | null;
  readonly origin: string | null;
  /** The agent that registered it. */
  readonly owner: string | null;
  readonly transport: string | null;
  readonly state: "registered" | "connected" | "disconnected" | "refused";
  readonly protocol: string | null;
  readonly era: string | null;
  /** When the server itself last said which era it speaks; null when that was only guessed. */
  readonly era_at: number | null;
  readonly implementation: string | null;
  /** Why it is refused or disconnected. */
  readonly reason: string | null;
  readonly changed_at: number;
}

const registered: Apply = (tx, { at, data }) => {
  const { name, id, origin, owner, transport } = data as EventOf<typeof ServerRegistered>["data"];
  tx.run(
    "insert or replace into servers (name, id, origin, owner, transport, state, changed_at) values (?, ?, ?, ?, ?, 'registered', ?)",
    name,
    id,
    origin,
    owner ?? null,
    transport,
    at,
  );
};

const unregistered: Apply = (tx, { data }) => {
  const { id } = data as EventOf<typeof ServerUnregistered>["data"];
  tx.run("delete from servers where id = ?", id);
};

const refused: Apply = (tx, { at, data }) => {
  const { name, reason, proposal } = data as EventOf<typeof ServerRefused>["data"];
  if (proposal) return;
  tx.run(
    `insert into servers (name, state, reason, changed_at) values (?, 'refused', ?, ?)
     on conflict (name) do update set state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at`,
    name,
    reason,
    at,
  );
};

const connected: Apply = (tx, { at, data }) => {
  const { id, transport, protocolVersion, era, eraGuessed, implementation } = data as EventOf<typeof ServerConnected>["data"];
  tx.run(
    "update servers set state = 'connected', transport = ?, protocol = ?, era = ?, era_at = ?, implementation = ?, reason = null, changed_at = ? where id = ?",
    transport,
    protocolVersion,
    era,
    eraGuessed ? null : at,
    implementation,
    at,
    id,
  );
};

const disconnected: Apply = (tx, { at, data }) => {
  const { id, reason } = data as EventOf<typeof ServerDisconnected>["data"];
  // An entry that cannot be used goes on saying why: its connection only ended.
  tx.run("update servers set state = 'disconnected', reason = ?, changed_at = ? where id = ? and state <> 'refused'", reason, at, id);
};

export const servers: Projection = {
  name: "servers",
  version: 4,
  tables: `
    create table servers (
      name text primary key, id text, origin text, owner text, transport text, state text not null, protocol text, era text, era_at integer, implementation text,
      reason text, changed_at integer not null
    ) strict, without rowid;
  `,
  drop: ["servers"],
  on: {
    "server.registered": registered,
    "server.unregistered": unregistered,
    "server.refused": refused,
    "server.connected": connected,
    "server.disconnected": disconnected,
  },
};
