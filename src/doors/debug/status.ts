/** `/debug/api/status`: the whole program at a glance. */
import type { Reader } from "../../log/reader.ts";
import { answer, present } from "./answers.ts";

export interface ConfigStatus {
  /** Absolute; undefined: there is none. */
  readonly file: string | undefined;
  /** SHA-256 of the file. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly appliedAt: number;
  /** Of a newer file that could not be applied: the running configuration stays. */
  readonly errors: readonly string[];
  /** What of it has no effect, as far as it is known by now, in sentences. */
  readonly warnings: readonly string[];
}
export interface StatusPorts {
  readonly reader: Reader;
  readonly now: () => number;
  readonly startedAt: number;
  readonly version: string;
  readonly build: string;
  readonly config: () => ConfigStatus;
  readonly gauges: () => { readonly inFlight: number; readonly waiting: number; readonly turnsFailed: number };
  readonly sessionsInMemory: () => number;
  readonly walBytes: () => number;
  /** What is not as it should be, in sentences. */
  readonly degraded: () => readonly string[];
}

const DOUBTS = "select count(*) as n from doubts where resolved_at is null";
const APPROVALS = "select count(*) as n from approvals where status = 'pending'";
const QUESTIONS = "select count(*) as n from questions where status = 'open'";
const TASKS = "select count(*) as n from tasks where settled_at is null";
const SERVERS = "select state, count(*) as n from servers where coalesce(origin, '') <> 'builtin' group by state";
const SESSIONS = "select count(*) as n from sessions";

export function showStatus(ports: StatusPorts): Response {
  const { reader, startedAt } = ports;
  const { inFlight, waiting, turnsFailed } = ports.gauges();
  const count = (sql: string): number => reader.query<{ n: number }>(sql)[0]?.n ?? 0;
  const { id, head } = reader;
  return answer({
    version: ports.version,
    build: ports.build,
    pid: process.pid,
    startedAt,
    uptimeMs: ports.now() - startedAt,
    degraded: ports.degraded(),
    config: present({ ...ports.config() }),
    log: { id, ...head, walBytes: ports.walBytes() },
    calls: { inFlight, waiting, inDoubt: count(DOUBTS) },
    open: { approvals: count(APPROVALS), questions: count(QUESTIONS), tasks: count(TASKS) },
    turnsFailed,
    sessions: { known: count(SESSIONS), inMemory: ports.sessionsInMemory() },
    servers: Object.fromEntries(reader.query<{ state: string; n: number }>(SERVERS).map(({ state, n }) => [state, n])),
    position: head.position,
  });
}
