/** Every projection there is, in the order in which they are applied. */
import type { Projection } from "../projection.ts";
import { approvals } from "./approvals.ts";
import { calls } from "./calls.ts";
import { conversation } from "./conversation.ts";
import { doubts } from "./doubts.ts";
import { questions } from "./questions.ts";
import { servers } from "./servers.ts";
import { sessions } from "./sessions.ts";
import { tasks } from "./tasks.ts";
import { timers } from "./timers.ts";

export const projections: readonly Projection[] = [sessions, calls, approvals, doubts, servers, questions, tasks, timers, conversation];
