/** The tools of the conformance suite that go on as tasks, and the tasks that they become. They take the hand-written path. */
import { ProtocolError } from "@modelcontextprotocol/server";
import type { Answer, Tasks, ToolCall, ToolResult } from "../../src/mcp/upstream/backend.ts";
import { accepted } from "./asking-tools.ts";
import { define, text } from "./plain-tools.ts";

type Responses = Readonly<Record<string, unknown>>;

/** What a tool has of its task. Without one it cannot ask. */
interface Background {
  /** Resolves with the client's answer. */
  ask(key: string, message: string): Promise<unknown>;
  /** Resolves after that time, or when the task is cancelled. */
  pause(ms: number): Promise<void>;
}

interface TaskTool {
  readonly parameters?: Responses;
  /** `required`: never without a task. */
  readonly mode: "never" | "optional" | "required";
  /** What it asks before there is a task. */
  readonly first?: (call: ToolCall) => ToolResult | undefined;
  run(call: ToolCall, background: Background | undefined): Promise<ToolResult>;
}

const question = (message: string) => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { name: { type: "string" }, confirm: { type: "boolean" } } },
  },
});

const TOOLS: Readonly<Record<string, TaskTool>> = {
  greet: { parameters: { name: { type: "string" } }, mode: "never", run: async (call) => text(`Hello, ${call.arguments["name"]}!`) },
  slow_compute: {
    parameters: { seconds: { type: "number" }, label: { type: "string" } },
    mode: "optional",
    async run({ arguments: { seconds, label } }, background) {
      const ms = Number(seconds ?? 0) * 1000;
      await (background?.pause(ms) ?? Bun.sleep(ms));
      return text(`Computed ${label ?? ""}`);
    },
  },
  failing_job: {
    mode: "required",
    async run(_call, background) {
      await background?.pause(1000);
      return { ...text("It failed"), isError: true };
    },
  },
  protocol_error_job: {
    mode: "optional",
    async run(_call, background) {
      await background?.pause(50);
      throw new ProtocolError(-32603, "It broke");
    },
  },
  confirm_delete: {
    parameters: { filename: { type: "string" } },
    mode: "optional",
    run: async ({ arguments: { filename } }, background) =>
      text(`${filename}: ${JSON.stringify(await background?.ask("confirm", "Delete it?"))}`),
  },
  multi_input: {
    mode: "optional",
    run: async (_call, background) =>
      text(JSON.stringify(await Promise.all([background?.ask("one", "One?"), background?.ask("two", "Two?")]))),
  },
  test_tool_with_task: {
    mode: "required",
    first: ({ inputResponses }) =>
      inputResponses?.["user_name"] === undefined
        ? { resultType: "input_required", inputRequests: { user_name: question("Your name?") } }
        : undefined,
    async run({ inputResponses }, background) {
      await background?.pause(100);
      return text(`Done for ${accepted(inputResponses, "user_name", "name")}`);
    },
  },
};

export const taskDefinitions = Object.entries(TOOLS).map(([name, { parameters }]) => define(name, parameters));

interface Task {
  /** As it goes out. */
  seen: Readonly<Record<string, unknown>> & { readonly status: string };
  /** Who waits for which answer. */
  readonly waiting: Map<string, (answer: unknown) => void>;
  readonly stop: PromiseWithResolvers<void>;
}

export interface TaskTools {
  /** Undefined: none of these tools. */
  call(call: ToolCall): Promise<ToolResult> | undefined;
  readonly tasks: Tasks;
  /** How many tasks there have been. */
  started(): number;
}

export function createTaskTools(): TaskTools {
  const known = new Map<string, Task>();

  function change(task: Task, to: Responses & { readonly status: string }): void {
    if (["completed", "failed", "cancelled"].includes(task.seen.status)) return;
    const { taskId, createdAt, ttlMs, pollIntervalMs } = task.seen as Responses;
    task.seen = { taskId, createdAt, ttlMs, pollIntervalMs, lastUpdatedAt: new Date().toISOString(), ...to };
  }

  const asked = ({ waiting }: Task) => ({
    status: "input_required",
    inputRequests: Object.fromEntries([...waiting.keys()].map((key) => [key, question(`${key}?`)])),
  });

  function start(tool: TaskTool, call: ToolCall): ToolResult {
    const createdAt = new Date().toISOString();
    const handle = { taskId: crypto.randomUUID(), createdAt, lastUpdatedAt: createdAt, ttlMs: 60_000, pollIntervalMs: 100 };
    const task: Task = { seen: { ...handle, status: "working" }, waiting: new Map(), stop: Promise.withResolvers() };
    known.set(handle.taskId, task);
    const background: Background = {
      ask: (key) =>
        new Promise((resolve) => {
          task.waiting.set(key, resolve);
          change(task, asked(task));
        }),
      pause: (ms) => Promise.race([Bun.sleep(ms), task.stop.promise]),
    };
    tool.run(call, background).then(
      (result) => change(task, { status: "completed", result }),
      ({ code, message }) => change(task, { status: "failed", error: { code, message } }),
    );
    return { resultType: "task", ...task.seen };
  }

  async function about(id: string, answer: (task: Task) => Responses | undefined): Promise<Answer | undefined> {
    const task = known.get(id);
    return task && { ok: true, result: answer(task) ?? {} };
  }

  return {
    call(call) {
      const tool = TOOLS[call.name];
      if (tool === undefined) return undefined;
      const alone = tool.mode === "never" || (tool.mode === "optional" && !call.client.tasks);
      if (alone) return tool.run(call, undefined);
      return Promise.resolve((call.client.tasks ? tool.first?.(call) : undefined) ?? start(tool, call));
    },
    started: () => known.size,
    tasks: {
      get: (_session, id) => about(id, ({ seen }) => seen),
      update: (_session, id, responses) =>
        about(id, (task) => {
          for (const [key, answer] of Object.entries(responses)) {
            task.waiting.get(key)?.(answer);
            task.waiting.delete(key);
          }
          if (task.seen.status === "input_required") change(task, task.waiting.size > 0 ? asked(task) : { status: "working" });
          return undefined;
        }),
      cancel: (_session, id) =>
        about(id, (task) => {
          change(task, { status: "cancelled" });
          task.stop.resolve();
          return undefined;
        }),
    },
  };
}
