/** What tools, responders and doors read about the conversation behind a session: durable rows only. */
import type { Role } from "../../events/session.ts";
import type { Reader } from "../log/reader.ts";

export interface SpokenTurn {
  readonly role: Role;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Scrubbed when it was recorded. */
  readonly text: string;
}
export interface NamedSession {
  readonly id: string;
  readonly agent: string;
}
export interface ConversationViews {
  /** The newest turns of this very session that are not erased, at most `limit`; newest last. */
  turnsOf(session: string, limit: number): readonly SpokenTurn[];
  /** When its user last spoke, in it or, before it inherited, in the session that it inherited from. Milliseconds since the epoch. */
  lastUserTurn(session: string): number | undefined;
  /** The session of this id, else those of this name; with `agent` only that agent's. */
  sessionsCalled(idOrName: string, agent?: string): readonly NamedSession[];
}

const TURNS = "select role, at, position from spoken where session = ? order by position desc limit ?";
const BY_ID = "select id, agent from sessions where id = ?";
const BY_NAME = "select id, agent from sessions where agent = ? and name = ? order by opened_at desc limit 1";
/** The latest of each agent. */
const BY_NAME_ONLY = "select id, agent from (select id, agent, max(opened_at) from sessions where name = ? group by agent)";

export function conversationViews(log: Pick<Reader, "query" | "payload">): ConversationViews {
  return {
    turnsOf: (session, limit) =>
      log
        .query<Omit<SpokenTurn, "text"> & { position: number }>(TURNS, session, limit)
        .flatMap(({ position, ...turn }) => {
          const text = textIn(log.payload(position));
          return text === undefined ? [] : [{ ...turn, text }];
        })
        .reverse(),
    lastUserTurn: (session) => log.query<{ at: number }>("select at from user_turns where session = ?", session)[0]?.at,
    sessionsCalled(idOrName, agent) {
      const exact = log.query<NamedSession>(BY_ID, idOrName)[0];
      if (exact && (agent ?? exact.agent) === exact.agent) return [exact];
      return agent === undefined ? log.query<NamedSession>(BY_NAME_ONLY, idOrName) : log.query<NamedSession>(BY_NAME, agent, idOrName);
    },
  };
}

function textIn(payload: unknown): string | undefined {
  const text = typeof payload === "object" && payload !== null && "text" in payload ? payload.text : undefined;
  return typeof text === "string" ? text : undefined; // erased
}
