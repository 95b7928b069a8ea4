/** The views on calls, read from the log's projections and events. */
import type { Reader } from "../log/reader.ts";
import type { ToolResult } from "./open-calls.ts";
import type { CallRow, CallViews, DoubtRow } from "./views.ts";

const CALL = `select call, session, coalesce(agent, '') as agent, name, server, tool, capability, status, certainty, code,
  requested_at as requestedAt, ended_at as endedAt, key_digest as keyDigest from calls`;
const DOUBT = `select call, session, coalesce((select name from sessions where id = session), session) as sessionName, coalesce(agent, '') as agent, coalesce(server, '') as server, coalesce(tool, '') as tool, coalesce(digest, '') as digest,
  since, coalesce(code, 'in_doubt') as code, resolved_at as resolvedAt, outcome, by from doubts`;
/** A key that was bound by a call which acted on nothing is free again. */
const BOUND = "dispatched_at is not null and coalesce(certainty, '') <> 'not_applied'";

export function callViews(log: Reader): CallViews {
  /** The newest payload of these events of a call. */
  const payloadOf = (call: string, ...types: readonly string[]): unknown => {
    const event = log.eventsOfCall(call).findLast(({ type, payload }) => types.includes(type) && payload !== undefined);
    return event && log.payload(event.position);
  };
  return {
    call: (id) => log.query<CallRow>(`${CALL} where call = ?`, id)[0],
    belongsTo(row, session) {
      const heirs = new Set<string>();
      for (let holder: string | null = row.session; holder !== null && !heirs.has(holder); ) {
        if (holder === session) return true;
        heirs.add(holder);
        holder = log.query<{ heir: string | null }>("select heir from sessions where id = ?", holder)[0]?.heir ?? null;
      }
      return false;
    },
    openCalls: (session) => log.query<CallRow>(`${CALL} where status <> 'ended' and session = ? order by first_position`, session),
    byKey: (agent, key, since) =>
      log.query<CallRow>(
        `${CALL} where agent = ? and key = ? and requested_at > ? and ${BOUND} order by first_position desc limit 1`,
        agent,
        key,
        since,
      )[0],
    doubt: (call) => log.query<DoubtRow>(`${DOUBT} where call = ?`, call)[0],
    doubts: (agent) =>
      agent === undefined
        ? log.query<DoubtRow>(`${DOUBT} where resolved_at is null order by since`)
        : log.query<DoubtRow>(`${DOUBT} where resolved_at is null and agent = ? order by since`, agent),
    argumentsOf: (call) => payloadOf(call, "call.requested", "call.refused"),
    resultOf(call) {
      const result = payloadOf(call, "call.settled", "call.resolved");
      return isResult(result) ? result : undefined;
    },
  };
}

/** A resolution's payload may also be somebody's note. */
const isResult = (value: unknown): value is ToolResult => typeof value === "object" && value !== null && "content" in value;
