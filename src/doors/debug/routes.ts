/** `/debug/api/…`: everything that can be looked at, as JSON. It only reads, and what it shows is in the log. */
import { approvalViews } from "../../calls/approval-views.ts";
import { questionViews } from "../../calls/question-views.ts";
import { taskViews } from "../../calls/task-views.ts";
import type { Reader } from "../../log/reader.ts";
import type { Routes } from "../http.ts";
import { badParameter, failure, isRefusal, notThere } from "./answers.ts";
import { listApprovals } from "./approvals.ts";
import { listCalls, listDoubts, showCall } from "./calls.ts";
import { createEventStream, type EventStreamPorts } from "./event-stream.ts";
import { listEvents } from "./events.ts";
import { listQuestions, listTasks } from "./questions.ts";
import { createServerViews, type ServerPorts } from "./servers.ts";
import { listSessions, showSession } from "./sessions.ts";
import { createSql, type SqlPorts } from "./sql.ts";
import { listStreams, type StateOf, showHead, showState } from "./state.ts";
import { type StatusPorts, showStatus } from "./status.ts";

export interface DebugPorts extends EventStreamPorts, ServerPorts, SqlPorts, Omit<StatusPorts, "now"> {
  readonly reader: Reader;
  readonly stateAt: StateOf;
  /** The signed head as it stands in the anchor file. */
  readonly checkpoint: () => string | undefined;
}

const ROOT = "/debug/api/";
/** Lists of things that this release does not have yet. */
const LATER = new Set(["schedules"]);

type View = (request: Request, url: URL) => Response | Promise<Response>;

/** `servers/mail` → [`servers`, `mail`]: what follows the first slash is one name, which may hold slashes itself. */
function partsOf(pathname: string): readonly [view: string, name: string | undefined] {
  const path = pathname.slice(ROOT.length);
  const slash = path.indexOf("/");
  if (slash < 0) return [path, undefined];
  try {
    return [path.slice(0, slash), decodeURIComponent(path.slice(slash + 1))];
  } catch {
    throw badParameter("the path is not valid percent-encoding");
  }
}

/** Answers `GET` below `/debug/api/`; undefined for any other path. */
export function debugRoutes(ports: DebugPorts): Routes {
  const { reader, stateAt } = ports;
  const servers = createServerViews(ports);
  const follow = createEventStream(ports);
  const sql = createSql(ports);
  const approvals = approvalViews(reader);
  const questions = questionViews(reader);
  const tasks = taskViews(reader);

  const lists: Readonly<Record<string, View>> = {
    status: () => showStatus({ ...ports, now: ports.clock.now }),
    head: () => showHead(reader, ports.checkpoint()),
    servers: (_, url) => servers.list(url),
    sessions: (_, url) => listSessions(reader, url),
    calls: ({ signal }, url) => listCalls(reader, url, signal),
    approvals: (_, url) => listApprovals(reader, approvals, url),
    questions: (_, url) => listQuestions(reader, questions, url),
    tasks: (_, url) => listTasks(reader, tasks, url),
    doubts: (_, url) => listDoubts(reader, url),
    streams: (_, url) => listStreams(reader, url),
    events: ({ signal }, url) => listEvents(reader, url, signal),
    sql,
  };
  const details: Readonly<Record<string, (name: string) => View>> = {
    servers: (name) => () => servers.show(name),
    sessions: (name) => () => showSession(reader, stateAt, name),
    calls: (name) => () => showCall(reader, name),
    state: (name) => (_, url) => showState(reader, stateAt, name, url),
    events: (name) => (name === "stream" ? follow : () => Promise.reject(notThere("There is no such route."))),
  };
  const viewOf = (pathname: string): View | undefined => {
    const [view, name] = partsOf(pathname);
    if (LATER.has(view)) throw notThere(`There are no ${view} in this release: they come with a later one.`);
    if (name === undefined) return Object.hasOwn(lists, view) ? lists[view] : undefined;
    return Object.hasOwn(details, view) && name !== "" ? details[view]?.(name) : undefined;
  };

  return async (request, url) => {
    if (!url.pathname.startsWith(ROOT)) return undefined;
    try {
      return await viewOf(url.pathname)?.(request, url);
    } catch (error) {
      if (isRefusal(error)) return failure(error.status, error.code, error.message);
      throw error;
    }
  };
}
