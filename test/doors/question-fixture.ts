/** A kernel with one server whose calls ask and go on in the background when the test says so, without anybody who would answer. */
import { QUESTIONS, serverAddress, TASKS } from "../../actors/address.ts";
import type { Questioned } from "../../actors/legs/commands.ts";
import type { Field, ObservedQuestion } from "../../events/elicitation.ts";
import { fakeServer, harness, memoryLog, tool } from "../harness.ts";

type Kernel = Awaited<ReturnType<typeof harness>>;

export const MAILBOX: Field = { name: "mailbox", type: "choice", required: true, decision: false };
export const SURE: Field = { name: "sure", type: "boolean", required: true, decision: true };
export const form = (key: string, ...fields: readonly Field[]): ObservedQuestion => ({ key, mode: "form", fields: [...fields] });
export const questionId = (n: number) => `q_${String(n).padStart(32, "0")}`;
export const taskId = (n: number) => `t_${String(n).padStart(32, "0")}`;

export async function place(log = memoryLog()) {
  const mail = fakeServer([tool("send"), tool("look")]);
  const kernel = await harness({ servers: { Mail: mail }, policies: { Mail: { tasks: true } }, elicitation: { mode: "handback" }, log });
  return { ...kernel, mail, ...(await interrupting(kernel, "Mail")) };
}

/** What may happen to calls of the session `s_1` to the tool `send` of this server, which answers nothing by itself. */
export async function interrupting(kernel: Pick<Kernel, "runtime" | "settle" | "views" | "session">, name: string) {
  const { runtime, settle, views } = kernel;
  const { ask } = await kernel.session("s_1");
  let made = 0;
  /** A call that its server has, and has not answered. */
  const sent = async (args: Record<string, unknown> = { n: ++made }): Promise<string> => {
    void ask(`${name}__send`, args);
    await settle();
    return views.openCalls("s_1").at(-1)?.call ?? "";
  };
  const server = serverAddress(name);
  /** Its server asks during it; the agent is given the question. */
  const asked = async (n: number, more: Partial<Questioned> = {}) => {
    const call = more.calls?.[0] ?? (await sent());
    const questioned: Questioned = {
      type: "questioned",
      calls: [call],
      source: "mrtr",
      questions: [form("which", MAILBOX, SURE)],
      available: [],
      canHandBack: true,
      questionId: questionId(n),
      payload: { messages: { which: "Which mailbox?" } },
      ...more,
    };
    await runtime.enter(server, { ...questioned });
    await settle();
    return { call, id: questionId(n) };
  };
  /** Its server answers with a task. */
  const started = async (n: number) => {
    const call = await sent();
    const about = { id: taskId(n), call, session: "s_1", agent: "ada", server: name.toLowerCase(), tool: "send", name: `${name}__send` };
    await runtime.enter(TASKS, { type: "start", ...about, era: "modern", pollMs: 1000 });
    await settle();
    return { call, id: taskId(n) };
  };
  const tell = async (to: string, command: { readonly type: string; readonly [field: string]: unknown }) => {
    await runtime.enter(to, command);
    await settle();
  };
  /** The server's word about a task, or none. */
  const polled = (id: string, status?: "working" | "input_required") => tell(TASKS, { type: "polled", id, ...(status && { status }) });
  const ended = (id: string, status: string) => tell(TASKS, { type: "ended", id, status });
  const given = (id: string, action: "accept" | "decline", by: string) => ({
    id,
    by,
    answers: [{ key: "which", action, by, fields: action === "accept" ? ["mailbox", "sure"] : [] }],
    timeoutMs: 60_000,
    claimed: true,
  });
  const answered = (id: string, by = "agent:ada") => tell(QUESTIONS, { type: "answer", digest: "d0", ...given(id, "accept", by) });
  const declined = (id: string, by = "agent:ada") => tell(QUESTIONS, { type: "decline", ...given(id, "decline", by) });
  return { server, sent, asked, started, tell, polled, ended, answered, declined };
}
