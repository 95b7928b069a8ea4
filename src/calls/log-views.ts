/** The views on calls, read from the log's projections and events. */
import { BUILTIN } from "../../actors/address.ts";
import type { Reader } from "../log/reader.ts";
import { approvalViews } from "./approval-views.ts";
import { argumentsIn } from "./asked.ts";
import { conversationViews } from "./conversation.ts";
import { endIn } from "./end-in.ts";
import type { ToolResult } from "./open-calls.ts";
import { questionViews } from "./question-views.ts";
import { taskViews } from "./task-views.ts";
import type { CallRow, CallViews, DoubtRow } from "./views.ts";

const CALL = `select call, session, coalesce(agent, '') as agent, name, server, tool, capability, status, certainty, code,
  requested_at as requestedAt, ended_at as endedAt, key_digest as keyDigest from calls`;
const DOUBT = `select call, session, coalesce((select name from sessions where id = session), session) as sessionName, coalesce(agent, '') as agent, coalesce(server, '') as server, coalesce(tool, '') as tool, coalesce(digest, '') as digest,
  since, coalesce(code, 'in_doubt') as code, resolved_at as resolvedAt, outcome, by from doubts`;
/** Bounded, however long the session has been quiet: the newest events of its stream only. */
const ANSWERED = `select c.name, c.call, c.ended_at as at from
  (select type, at, call, version from events where stream = (select id from names where name = 'session/' || ?) order by version desc limit 400) e
  join calls c on c.call = e.call
  where e.type = (select id from names where name = 'call.answered') and e.at > ? and c.certainty = 'answered' and c.is_error is not 1 and c.server <> '${BUILTIN}'
  order by e.version desc limit 100`;
/** A key that was bound by a call which acted on nothing is free again. */
const BOUND = "dispatched_at is not null and coalesce(certainty, '') <> 'not_applied'";

export function callViews(log: Reader): CallViews {
  const positions = (call: string) =>
    log.query<Positions>(
      "select server is null as refused, first_position as first, rewritten_position as rewritten, settled_position as settled, resolved_position as resolved from calls where call = ?",
      call,
    )[0];
  return {
    ...approvalViews(log),
    ...questionViews(log),
    ...taskViews(log),
    ...conversationViews(log),
    call: (id) => log.query<CallRow>(`${CALL} where call = ?`, id)[0],
    heldBy(session) {
      const known = new Map([[session, true]]);
      return (first) => {
        const passed = new Set<string>();
        let holder: string | null = first;
        while (holder !== null && !known.has(holder) && !passed.has(holder)) {
          passed.add(holder);
          holder = log.query<{ heir: string | null }>("select heir from sessions where id = ?", holder)[0]?.heir ?? null;
        }
        const isHeld = holder !== null && known.get(holder) === true;
        for (const each of passed) known.set(each, isHeld);
        return isHeld;
      };
    },
    belongsTo(row, session) {
      return this.heldBy(session)(row.session);
    },
    openCalls(session) {
      const isHeld = this.heldBy(session);
      return log.query<CallRow>(`${CALL} where status <> 'ended' order by first_position`).filter((row) => isHeld(row.session));
    },
    byKey: (agent, key, since) =>
      log.query<CallRow>(
        `${CALL} where agent = ? and key = ? and requested_at > ? and ${BOUND} order by first_position desc limit 1`,
        agent,
        key,
        since,
      )[0],
    *answered(session, since) {
      for (const { name, call, at } of log.query<{ name: string; call: string; at: number }>(ANSWERED, session, since))
        yield { name, at, arguments: this.argumentsOf(call) };
    },
    sessionName: (session) => log.query<{ name: string }>("select name from sessions where id = ?", session)[0]?.name ?? session,
    doubt: (call) => log.query<DoubtRow>(`${DOUBT} where call = ?`, call)[0],
    recentDoubts: (since) => log.query<DoubtRow>(`${DOUBT} where resolved_at is null or resolved_at > ? order by since`, since),
    doubts: (agent) =>
      agent === undefined
        ? log.query<DoubtRow>(`${DOUBT} where resolved_at is null order by since`)
        : log.query<DoubtRow>(`${DOUBT} where resolved_at is null and agent = ? order by since`, agent),
    argumentsOf(call) {
      const at = positions(call);
      if (!at) return undefined;
      if (at.rewritten !== null) return argumentsIn("call.checked", log.payload(at.rewritten));
      return argumentsIn(at.refused ? "call.refused" : "call.requested", log.payload(at.first));
    },
    endOf(call) {
      const event = log.eventsOfCall(call).findLast(({ type }) => type === "call.answered" || type === "call.refused");
      return event && endIn(event, log.payload(event.position));
    },
    resultOf(call) {
      const { settled = null, resolved = null } = positions(call) ?? {};
      for (const position of [resolved, settled]) {
        const result = position === null ? undefined : log.payload(position);
        if (isResult(result)) return result;
      }
      return undefined;
    },
  };
}

interface Positions {
  readonly refused: number;
  readonly first: number;
  readonly rewritten: number | null;
  readonly settled: number | null;
  readonly resolved: number | null;
}

/** A resolution's payload may also be somebody's note. Of a tool, a prompt, a resource. */
const isResult = (value: unknown): value is ToolResult =>
  typeof value === "object" && value !== null && ["content", "messages", "contents"].some((key) => key in value);
