/** `/v1/tasks`: calls that go on in the background, and telling one to stop. */
import { TASKS } from "../../actors/address.ts";
import { TASK_STATUSES, type TaskView, type TaskViews } from "../calls/task-views.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Routes } from "./http.ts";
import { byOf, failure, statusOf } from "./operator-body.ts";

export interface TaskRoutePorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly views: TaskViews;
  readonly vault: Pick<Vault, "redactText">;
  readonly position: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Ended ones are listed for a day. */
const LIST_MS = 86_400_000;
const CANCEL = /^\/v1\/tasks\/([^/]+)\/cancel$/;

/** As the list shows it. */
const shown = ({ position: _, sessionId: _s, ...row }: TaskView) => row;

export function taskRoutes({ runtime, views, vault, position, now }: TaskRoutePorts): Routes {
  const list = (url: URL): Response => {
    const read = statusOf(url, TASK_STATUSES);
    if ("response" in read) return read.response;
    const rows = views.tasks(now() - LIST_MS).filter(({ status }) => read.status === null || status === read.status);
    return Response.json({ tasks: rows.map(shown), position: position() });
  };
  const isOver = ({ settledAt, status }: TaskView): boolean => settledAt !== undefined && status !== "cancelled";

  return async (request, url, operator) => {
    const { pathname } = url;
    if (pathname === "/v1/tasks" && request.method === "GET") return list(url);
    const named = CANCEL.exec(pathname)?.[1];
    if (named === undefined || request.method !== "POST") return undefined;
    const id = decodeURIComponent(named);
    const task = views.task(id);
    if (!task) return failure(404, "tool_not_found", `There is no task ${vault.redactText(id)}.`);
    if (task.settledAt === undefined) await runtime.enter(TASKS, { type: "cancel", id, by: byOf(operator) });
    const current = views.task(id) ?? task; // its end may have been faster
    return isOver(current) ? failure(409, "refused", `It has ended already: ${current.status}.`) : Response.json(shown(current));
  };
}
