/** A server whose calls go on as tasks: what it says of them, what it was answered and told to stop. */
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { TaskReport } from "../../src/mcp/downstream/downstream.ts";
import type { SealedStore } from "../../src/secrets/sealed.ts";
import { harness, type memoryLog } from "../harness.ts";
import { modernServer } from "./fixture.ts";

export const TASKS = { tasks: true as const };
export const HANDBACK = { elicitation: { ...DEFAULT_ELICITATION, mode: "handback" as const } };
export const ended: TaskReport = {
  kind: "ended",
  outcome: { kind: "result", result: { content: [{ type: "text", text: "the report" }] } },
};

export function taskServer() {
  const reports: TaskReport[] = [];
  const answers: unknown[] = [];
  const cancelled: string[] = [];
  let isLost = false;
  const server = modernServer(["research", "other"], {
    tasks: {
      report: async () => reports.shift() ?? { kind: "working" },
      answer: async (_, responses) => {
        if (isLost) {
          isLost = false;
          return { kind: "not_sent", reason: "the connection is gone" };
        }
        answers.push(responses);
        return { kind: "result", result: {} };
      },
      cancel: async ({ taskId }) => {
        cancelled.push(taskId);
        return { kind: "result", result: {} };
      },
    },
  });
  const lose = () => {
    isLost = true;
  };
  return { server, reports, answers, cancelled, lose };
}

type Started = { log?: ReturnType<typeof memoryLog>; sealed?: SealedStore; elicitation?: object } & Pick<
  NonNullable<Parameters<typeof harness>[0]>,
  "runHook" | "policy"
>;

export async function started(more: Started = {}) {
  const lab = taskServer();
  const { log, sealed, elicitation, ...rest } = more;
  const policies = { lab: { ...TASKS, ...(elicitation as object) } };
  const place = await harness({ servers: { lab: lab.server }, policies, ...(log && { log }), ...(sealed && { sealed }), ...rest });
  const ada = await place.session("s_1");
  const first = ada.call("lab__research", { topic: "bees" });
  await place.settle();
  lab.server.calls[0]?.answer({ kind: "task", task: { taskId: "remote-1", era: "modern", pollIntervalMs: 1000 } } as never);
  const result = await first;
  const id = (result as { structuredContent?: { task?: { id: string } } }).structuredContent?.task?.id ?? "";
  return { ...lab, place, ada, result, id };
}
