/** Agents' sessions as the doors hold them: found or opened by name, resumed after a restart, handed on when they are gone. */
import { kindOf, nameOf, sessionAddress } from "../../actors/address.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { ConnectionRow, SessionRow } from "../log/projections/sessions.ts";
import type { Reader } from "../log/reader.ts";
import { type Principal, type Session, type SessionRequest, sessionRefusal } from "../mcp/upstream/backend.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";

export interface OpenRequest extends Omit<SessionRequest, "era" | "client"> {
  readonly client: string;
  readonly era: "legacy" | "modern" | "rest";
}
export interface Sessions {
  /** Finds the session of this name and agent or opens it; with a connection, binds that to it. */
  open(request: OpenRequest): Promise<Session>;
  resume(
    connection: string,
    principal: Principal,
  ): Promise<{ session: Session; initialize: Readonly<Record<string, unknown>> } | undefined>;
  closeConnection(session: Session, connection: string): Promise<void>;
  /** Counts as a sign of life. */
  touch(session: string): void;
  /** Outcomes that wait to be announced. */
  noticesOf(session: string): readonly string[];
  /** Sessions that gave a sign of life and have not been silent for long. */
  inMemory(): number;
  /** Lets sessions that were silent for ten minutes leave memory. */
  passivateIdle(): void;
}
export interface SessionPorts {
  readonly runtime: Runtime;
  readonly log: Reader & { forget(stream: string): boolean };
  readonly now: () => number;
  /** Names and introductions are free texts: they are stored without secrets. */
  readonly vault: Pick<Vault, "conceal" | "redactText">;
  /** Sessions that a token may have at a time; 0: any number. */
  readonly limitOf: (principal: Principal) => number;
  /** 128 unguessable bits as text. */
  readonly randomId: () => string;
}

/** After so long a silence a session hands its open items on. */
export const SILENT_MS = 600_000;

const tooManySessions = (limit: number) =>
  `This token has ${limit} sessions, and may not have more: go on in one of them, or end one; a session that is silent for ten minutes counts no longer.`;

interface Found {
  readonly id: string;
  readonly agent: string;
  readonly name: string;
  readonly profile: string;
  readonly client: string;
}

export function createSessions({ runtime, log, now, vault, limitOf, randomId }: SessionPorts): Sessions {
  const seen = new Map<string, number>();
  const opening = new Map<string, Promise<Session>>();
  const known = new Map<string, Session>();
  /** By agent: its sessions that have neither ended nor been silent for long. */
  const live = new Map<string, Set<string>>();
  const liveOf = (agent: string) => live.getOrInsertComputed(agent, () => new Set());
  const keyOf = (agent: string, name: string) => `${agent}\n${name}`;
  const touch = (id: string) => {
    if (now() - lastSign(id) > runtime.catalogue().surface.activationIdleMs)
      runtime.enter(sessionAddress(id), { type: "forgetTools" }).catch(() => undefined); // recorded as turn.failed
    seen.set(id, now());
  };

  const find = (agent: string, name: string) =>
    log.query<Found>(
      "select id, agent, name, profile, client from sessions where agent = ? and name = ? order by opened_at desc limit 1",
      agent,
      name,
    )[0];

  /** The latest sign of life: in this process, else its newest event. */
  const lastSign = (id: string): number =>
    seen.get(id) ??
    log.query<{ at: number }>(
      "select at from events where stream = (select id from names where name = ?) order by version desc limit 1",
      sessionAddress(id),
    )[0]?.at ??
    0;
  const hasEnded = (id: string): boolean => {
    const all = log.query<Pick<ConnectionRow, "open">>("select open from connections where session = ?", id);
    return all.length > 0 && all.every(({ open }) => open === 0);
  };

  /** What former sessions of the same agent and client have not announced goes to the new one. */
  const inherit = async (heir: string, agent: string, client: string) => {
    const former = log.query<{ id: string }>(
      "select id from sessions where agent = ? and client = ? and id <> ? and owed = 1",
      agent,
      client,
      heir,
    );
    for (const { id } of former) {
      if (!hasEnded(id) && now() - lastSign(id) < SILENT_MS) continue;
      await runtime.enter(sessionAddress(id), { type: "bequeath", to: heir });
    }
  };

  const findOrOpen = async ({ principal, client, era }: OpenRequest, name: string): Promise<Session> => {
    const stored = find(principal.agent, name);
    const id = stored?.id ?? `s_${randomId()}`;
    const own = liveOf(principal.agent);
    const limit = limitOf(principal);
    if (limit > 0 && own.size >= limit && !own.has(id)) throw sessionRefusal(tooManySessions(limit));
    own.add(id); // before anything is waited for: others open sessions meanwhile
    if (!stored) {
      const command = { type: "open", agent: principal.agent, name, client, era, profile: principal.profile };
      await runtime.enter(sessionAddress(id), command);
      await inherit(id, principal.agent, client);
    }
    if (stored) await adopt(id, principal);
    touch(id);
    return { id, name, principal, client: stored?.client ?? client };
  };
  /** The agent's token may have another profile by now. */
  const adopt = async (id: string, { profile }: Principal) => {
    const state = runtime.stateOf(sessionAddress(id)) as SessionState;
    if (state.profile !== profile) await runtime.enter(sessionAddress(id), { type: "adopt", profile });
  };

  return {
    async open(request) {
      const { principal, connection } = request;
      const client = vault.redactText(request.client);
      const own = request.era === "legacy" ? (connection?.id ?? client) : client;
      const name = request.name === undefined ? own : vault.redactText(request.name);
      const key = keyOf(principal.agent, name);
      let session = known.get(key);
      if (session?.principal.profile !== principal.profile) {
        const under = opening.get(key) ?? findOrOpen({ ...request, client }, name).finally(() => opening.delete(key));
        opening.set(key, under);
        session = await under;
        known.set(key, session);
      }
      touch(session.id);
      if (connection) {
        const payload = vault.conceal(connection.initialize, { session: session.id }).value;
        await runtime.enter(sessionAddress(session.id), { type: "connect", connection: connection.id, payload });
      }
      return session;
    },
    async resume(connection, principal) {
      const row = log.query<Pick<SessionRow, "id" | "agent" | "name" | "client"> & { position: number }>(
        `select s.id, s.agent, s.name, s.client, c.opened_position as position from connections c join sessions s on s.id = c.session
         where c.id = ? and c.open = 1`,
        connection,
      )[0];
      if (!row || row.agent !== principal.agent) return undefined;
      const initialize = log.payload(row.position);
      if (typeof initialize !== "object" || initialize === null) return undefined; // erased
      await adopt(row.id, principal);
      liveOf(row.agent).add(row.id);
      touch(row.id);
      return { session: { id: row.id, name: row.name, principal, client: row.client }, initialize: initialize as Record<string, unknown> };
    },
    async closeConnection({ id, name, principal: { agent } }, connection) {
      await runtime.enter(sessionAddress(id), { type: "disconnect", connection });
      if (!hasEnded(id)) return;
      liveOf(agent).delete(id);
      known.delete(keyOf(agent, name));
    },
    touch,
    noticesOf: (session) => (runtime.stateOf(sessionAddress(session)) as SessionState).notices,
    inMemory: () => seen.size,
    passivateIdle() {
      const before = now() - SILENT_MS;
      for (const address of runtime.actors.addresses()) {
        const id = nameOf(address);
        if (kindOf(address) !== "session" || (seen.get(id) ?? 0) > before) continue;
        if (log.forget(address) && runtime.actors.passivate(address)) seen.delete(id);
      }
      for (const [key, { id }] of known) if (!seen.has(id)) known.delete(key);
      for (const [agent, ids] of live) {
        for (const id of ids) if (!seen.has(id)) ids.delete(id);
        if (ids.size === 0) live.delete(agent);
      }
    },
  };
}
