/** A server of 2026-07-28 that asks, and goes on when it is answered: what it was sent, and what it really did. */
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { Elicitation } from "../../events/elicitation.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import type { Question } from "../../src/calls/ask.ts";
import type { ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import type {
  CallReply,
  CallRequest,
  Downstream,
  DownstreamEvents,
  InputRequest,
  Interim,
  TaskReport,
} from "../../src/mcp/downstream/downstream.ts";
import { fakeServer, harness, tool } from "../harness.ts";

export const form = (message: string, properties: Record<string, unknown>, required: readonly string[] = []): InputRequest => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties, required: [...required] } },
});
export const MAILBOX = form("Which mailbox?", { mailbox: { type: "string", enum: ["home", "work"] } }, ["mailbox"]);

export const asks = (requests: Record<string, InputRequest>, requestState = "state-1"): Interim => ({
  kind: "input_required",
  requests,
  requestState,
});

/** `more.tasks`: what its tasks say. */
export function modernServer(tools: readonly (string | ToolDefinition)[] = ["send"], more: Partial<Downstream> = {}) {
  const server = fakeServer(
    tools.map((one) => (typeof one === "string" ? tool(one) : one)),
    {
      introduction: {
        era: "modern",
        protocolVersion: "2026-07-28",
        transport: "streamable-http",
        serverInfo: { name: "fake", version: "1" },
        capabilities: { tools: {} },
      },
      ...more,
    },
  );
  return server;
}

/** A server of before that, which asks on its open connection. */
export function olderServer(tools: readonly (string | ToolDefinition)[] = ["send"]) {
  const server = fakeServer(tools.map((one) => (typeof one === "string" ? tool(one) : one)));
  const { connect } = server;
  let events: DownstreamEvents | undefined;
  server.connect = (listener) => {
    events = listener;
    return connect(listener);
  };
  /** Asks; `answer` is what it hears. */
  const ask = (request: InputRequest) => {
    const over = new AbortController();
    if (!events?.onQuestion) throw new Error("nobody listens to questions");
    return { answer: events.onQuestion({ request, signal: over.signal }), withdraw: () => over.abort() };
  };
  return Object.assign(server, { ask });
}

/** The request that came last. */
export const lastOf = (server: ReturnType<typeof modernServer>): CallRequest => {
  const last = server.calls.at(-1);
  if (!last) throw new Error("the server was not called");
  return last.request;
};

export type ModernServer = ReturnType<typeof modernServer>;
export const HANDBACK: Elicitation = { ...DEFAULT_ELICITATION, mode: "handback" };
type Options = Omit<NonNullable<Parameters<typeof harness>[0]>, "servers" | "policies"> & { readonly rules?: Partial<ServerPolicy> };

/** A place with one server, `mail`, whose questions are treated so. */
export async function mailPlace(elicitation: Partial<Elicitation> = {}, { rules, ...options }: Options = {}, mail = modernServer()) {
  const own = { ...HANDBACK, ...elicitation };
  const place = await harness({ servers: { mail }, policies: { mail: { ...rules, elicitation: own } }, ...options });
  const ada = await place.session("s_1");
  /** Sends a call that its server interrupts with this round, and waits until everything rests. */
  const interrupted = async (
    round: CallReply,
    more: Partial<Question> = {},
    who = ada,
    name = "mail__send",
    args: object = { to: "bob" },
  ) => {
    const before = mail.calls.length;
    const result = who.call(name, { ...args }, more);
    await place.settle();
    mail.calls[before]?.answer(round as never);
    await place.settle();
    return result;
  };
  /** The user says something, as the host of the agent records it. */
  const userSpeaks = async (session = "s_1", words = "yes, please") => {
    await place.clock.advance(1);
    await place.runtime.enter(`session/${session}`, { type: "recordTurn", role: "user", by: "agent:host", payload: { text: words } });
  };
  return { mail, place, ada, interrupted, userSpeaks };
}

type Told = Awaited<ReturnType<Awaited<ReturnType<typeof mailPlace>>["ada"]["call"]>>;
export const questionIn = (result: Told): string => /q_[0-9a-f]{32}/.exec(wordsOf(result))?.[0] ?? "";
export const wordsOf = ({ content }: Told): string => content.map(({ text }) => text).join("\n");

/** A question that was handed back to its agent. */
export async function handedBack(round: CallReply = asks({ which: MAILBOX }), ...about: Parameters<typeof mailPlace>) {
  const at = await mailPlace(...about);
  const result = await at.interrupted(round);
  const id = questionIn(result);
  /** Answers, and waits until everything rests; the outcome is still to come. */
  const answer = async (args: Record<string, unknown>, more: Partial<Question> = {}, who = at.ada, question = id) => {
    const told = who.call("mcp_answer", { question_id: question, ...args }, more);
    await at.place.settle();
    return { told };
  };
  return { ...at, result, id, answer };
}

export type Reports = (taskId: string) => TaskReport;
