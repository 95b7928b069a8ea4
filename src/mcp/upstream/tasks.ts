/** Calls that go on in the background (SEP-2663), for modern clients that follow them: what they ask about a task, and say to it. */
import { INVALID_PARAMS, ProtocolError, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Answer, Session, Tasks } from "./backend.ts";
import { withBrought } from "./brought.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import { TASKS_UNDECLARED } from "./interim.ts";
import { isObject, type JsonObject } from "./json.ts";
import { completeResult } from "./results.ts";

export interface TasksParts {
  readonly session: Session;
  readonly onError: (error: unknown) => void;
}

const Params = z.looseObject({ taskId: z.string() });

/** Registers the three methods on the server of one session. */
export function offerTasks(server: Server, tasks: Tasks, { session, onError }: TasksParts): void {
  const offer = (
    method: string,
    ask: (id: string, client: ClientAbilities, answers: JsonObject) => Promise<Answer | undefined>,
    answer: (result: JsonObject) => JsonObject,
  ) =>
    server.setRequestHandler(method, { params: Params }, ({ taskId }, context: ServerContext) =>
      withBrought(server, context, { era: "modern", onError }, async ({ client, inputResponses = {} }) => {
        if (!client.tasks) throw new ProtocolError(TASKS_UNDECLARED.code, TASKS_UNDECLARED.message, TASKS_UNDECLARED.data);
        const given = await ask(taskId, client, inputResponses);
        if (given === undefined) throw new ProtocolError(INVALID_PARAMS, "Invalid params: this session has no task of that id");
        if (!given.ok) throw new ProtocolError(given.error.code, given.error.message, given.error.data);
        return answer(given.result);
      }),
    );
  offer("tasks/get", (id, client) => tasks.get(session, id, client), inlined);
  offer("tasks/update", (id, client, answers) => tasks.update(session, id, answers, client), acknowledged);
  offer("tasks/cancel", (id) => tasks.cancel(session, id), acknowledged);
}

/** The answer is complete, and so is the result inside of it. */
function inlined({ resultType: _, result, ...task }: JsonObject): JsonObject {
  return isObject(result) ? { ...task, result: completeResult(result) } : task;
}

const acknowledged = ({ resultType: _, ...result }: JsonObject): JsonObject => result;
