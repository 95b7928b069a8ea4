/** What an agent is given when its request is answered before its call ends: the question to answer, or the task that goes on. */
import { readForm } from "../../actors/elicit/form.ts";
import { handBackText } from "../../actors/elicit/hand-back.ts";
import { roundForm } from "../../actors/elicit/round.ts";
import { askingText } from "../calls/approval-words.ts";
import type { Parked, ToolResult } from "../calls/open-calls.ts";
import type { QuestionView } from "../calls/question-views.ts";
import type { TaskView } from "../calls/task-views.ts";
import type { CallViews } from "../calls/views.ts";
import type { InputRequest } from "../mcp/downstream/downstream.ts";
import type { ClientAbilities } from "../mcp/upstream/client-abilities.ts";
import { DECISION_FORM } from "../mcp/upstream/decision-form.ts";
import type { RequestStateCodec } from "../mcp/upstream/request-state.ts";
import type { Kept, KeptQuestion } from "./kept.ts";

export interface ParkedPorts {
  readonly views: Pick<CallViews, "question" | "task" | "approval">;
  readonly kept: Kept<KeptQuestion>;
  readonly codec: RequestStateCodec;
  readonly now: () => number;
  /** Takes secrets out of what a server asked. */
  readonly conceal: (request: InputRequest, session: string) => InputRequest;
  readonly redact: (text: string) => string;
}
export interface ParkedResults {
  /** `abilities`: of the request that is answered; `name`: as it calls the tool. */
  of(parked: Parked, abilities: ClientAbilities | undefined, name: string): ToolResult;
  /** The forms of an open question, by key; undefined when it is not open any more. */
  requestsOf(question: QuestionView): Readonly<Record<string, InputRequest>> | undefined;
  /** The question as a text, while it is open. */
  textOf(question: string): string | undefined;
}

/** The key of our own form. */
export const DECISION = "approval";
const POLL_MS = 1000;
const text = (words: string) => [{ type: "text", text: words }];

/** As a modern client follows it. `status` as MCP has it. */
export const handleOf = ({ id, createdAt, updatedAt, pollMs = POLL_MS }: TaskView, status: string) => ({
  taskId: id,
  status,
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
  ttlMs: null,
  pollIntervalMs: pollMs,
});

export function createParkedResults({ views, kept, codec, now, conceal, redact }: ParkedPorts): ParkedResults {
  const requestsOf = (question: QuestionView) => {
    const sealed = question.status === "open" ? kept.get(question.id) : undefined;
    if (!sealed) return undefined;
    const { requests, keys } = sealed;
    const entries = keys.flatMap((key) => (requests[key] ? [[key, conceal(requests[key], question.sessionId)] as const] : []));
    return Object.fromEntries(entries);
  };
  const handedBack = (question: QuestionView): string | undefined => {
    const requests = requestsOf(question);
    if (!requests) return undefined;
    const forms = Object.entries(requests).map(([key, { params }]) => ({ key, ...readForm(params) }));
    const { fields } = roundForm(forms);
    const messages = forms.map(({ message }) => redact(message));
    const { id, server, tool, expiresAt } = question;
    return handBackText({ id, server, tool, messages, fields, openMs: expiresAt - now() });
  };
  const asked = (id: string, abilities: ClientAbilities | undefined, name: string): ToolResult => {
    const question = views.question(id);
    if (!question) return { content: text(`The question ${id} is not open any more.`) };
    const { callId: call, round, agent, server, tool, message, fields, expiresAt, way } = question;
    const requests = way === "client" && abilities?.era === "modern" && abilities.elicitation ? requestsOf(question) : undefined;
    if (requests)
      return {
        resultType: "input_required",
        inputRequests: requests,
        requestState: codec.seal({ question: id, call, name, round }, agent),
      };
    const words = handedBack(question) ?? `The question ${id} is not open any more: call_status tells what became of its call ${call}.`;
    return { content: text(words), structuredContent: { question: { id, server, tool, message, fields, expiresAt } } };
  };
  /** Only to a client that shows it. */
  const deciding = (id: string, name: string): ToolResult => {
    const approval = views.approval(id);
    if (!approval) return { content: text(`The approval ${id} is not known.`) };
    const params = { mode: "form", message: askingText(approval), requestedSchema: DECISION_FORM };
    return {
      resultType: "input_required",
      inputRequests: { [DECISION]: { method: "elicitation/create", params } },
      requestState: codec.seal({ approval: id, call: approval.callId, name }, approval.agent),
    };
  };
  const started = (id: string, abilities: ClientAbilities | undefined): ToolResult => {
    const task = views.task(id);
    if (!task) return { content: text(`The task ${id} is not known.`) };
    if (abilities?.tasks) return { resultType: "task", ...handleOf(task, task.status === "input_required" ? "input_required" : "working") };
    const { server, tool, status } = task;
    const words =
      `${tool} of ${server} started as a background task: its id is ${id}. Go on with other work: its outcome comes with a later result, ` +
      `call_status {"id":"${id}"} tells it at any time, and mcp_cancel_task {"task_id":"${id}"} stops it. Do not make the call again.`;
    return { content: text(words), structuredContent: { task: { id, server, tool, status } } };
  };
  return {
    of({ question, approval, task = "" }, abilities, name) {
      if (question !== undefined) return asked(question, abilities, name);
      return approval === undefined ? started(task, abilities) : deciding(approval, name);
    },
    requestsOf,
    textOf(id) {
      const question = views.question(id);
      return question && handedBack(question);
    },
  };
}
