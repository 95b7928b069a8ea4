/** Calls that go on in the background: tasks of downstream servers, and calls of ours that a client follows as a task. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";

export const TaskEnd = z.enum(["completed", "failed", "cancelled", "expired", "lost"]);
export type TaskEnd = z.output<typeof TaskEnd>;

const about = {
  /** Ours, unguessable. */
  id: z.string(),
  call: z.string(),
  session: z.string(),
  agent: z.string(),
  server: z.string(),
};
const where = { serverId: z.string(), tool: z.string(), name: z.string(), createdAt: z.int() };

/** A server answered with a task. Written down before the agent hears; the server's own id is sealed. */
export const TaskStarted = defineEvent(
  "task.started",
  z.strictObject({
    ...about,
    ...where,
    era: z.enum(["legacy", "modern"]),
    /** When it is given up. */
    deadline: z.int(),
    /** As the server wishes to be asked, within our bounds. */
    pollMs: z.int(),
  }),
);
/** There is no room for another one: the server is told to stop it. */
export const TaskRefused = defineEvent(
  "task.refused",
  z.strictObject({ ...about, ...where, limit: z.string(), /** Those that run in its session. */ running: z.array(z.string()) }),
);
/** A call of ours is followed as a task by the client that made it. */
export const TaskOffered = defineEvent("task.offered", z.strictObject({ ...about, ...where }));

/** What its server says of it has changed, or the count of polls that failed in a row. */
export const TaskPolled = defineEvent(
  "task.polled",
  z.strictObject({ ...about, status: z.enum(["working", "input_required"]), failures: z.int() }),
);
/** Somebody wants it to stop. */
export const TaskCancelling = defineEvent("task.cancelling", z.strictObject({ ...about, by: z.string() }));
/** Its end. The outcome is that of its call. */
export const TaskSettled = defineEvent(
  "task.settled",
  z.strictObject({
    ...about,
    status: TaskEnd,
    reason: z.string().optional(),
    /** Its server has not said so, and is told to stop it. */
    stop: z.literal(true).optional(),
  }),
);
/** The agent has its outcome, and is not told again. */
export const TaskDelivered = defineEvent("task.delivered", z.strictObject({ ...about, by: z.string() }));

export const taskEvents = [TaskStarted, TaskRefused, TaskOffered, TaskPolled, TaskCancelling, TaskSettled, TaskDelivered] as const;
export type TaskEvent = EventOf<(typeof taskEvents)[number]>;
