/** Questions and tasks put together: what servers ask, who answers, what waits, what goes on in the background. */
import { QUESTIONS } from "../../actors/address.ts";
import { elicitationOf, serverOf } from "../../actors/catalogue.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { Invoke } from "../../actors/server-commands.ts";
import type { Forgettable, OpenCall, OpenCalls } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import type { Connections } from "../effects/connections.ts";
import { isConnectedTo } from "../effects/wanted.ts";
import type { Llm } from "../llm/client.ts";
import { availableResponders, createResponders } from "../llm/responders.ts";
import type { ToolDefinition } from "../mcp/downstream/definitions.ts";
import type { InBandQuestion, InputResponse } from "../mcp/downstream/downstream.ts";
import type { RequestStateCodec } from "../mcp/upstream/request-state.ts";
import { type AnswerOutcome, type AnswerRequest, createAnswerQuestion } from "../questions/answer-question.ts";
import { createAskRound } from "../questions/ask-round.ts";
import { createGather } from "../questions/gather.ts";
import { createHands } from "../questions/hands.ts";
import { createInBand } from "../questions/in-band.ts";
import { createInterim } from "../questions/interim.ts";
import { createKept, FOLLOWS, type KeptCall, type KeptQuestion, type KeptTask } from "../questions/kept.ts";
import { createParkedResults } from "../questions/parked.ts";
import { createReadAsked } from "../questions/read-asked.ts";
import { createRespond } from "../questions/respond.ts";
import { createResume } from "../questions/resume.ts";
import { brokenLimit, type Rounds } from "../questions/rounds.ts";
import { createShownCall } from "../questions/shown-call.ts";
import { createStops } from "../questions/stops.ts";
import type { TaskFinish } from "../questions/task-ends.ts";
import { createTaskWatch } from "../questions/watch-tasks.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { SealedStore } from "../secrets/sealed.ts";
import type { Vault } from "../secrets/vault.ts";
import { createCounts } from "./counts.ts";

export interface QuestionPorts {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly openCalls: OpenCalls;
  readonly views: CallViews;
  readonly connections: () => Connections;
  readonly vault: Vault;
  readonly sealed: SealedStore;
  readonly codec: RequestStateCodec;
  readonly llm: Pick<Llm, "complete" | "tiers">;
  readonly digest: (value: unknown) => string;
  readonly randomId: () => string;
  readonly definitionOf: (server: string, tool: string) => ToolDefinition | undefined;
  readonly finish: TaskFinish;
}
export type Questions = ReturnType<typeof createQuestions>;

const REJECTED = { 403: "refused", 404: "unknown", 409: "settled", 422: "form", 502: "not-connected" } as const;
const CONNECT_MS = 5000;
const LOOK_MS = 100;
/** One that does not start is not started all the time. */
const LOOKS_PER_ATTEMPT = 10;

export function createQuestions(ports: QuestionPorts) {
  const { runtime, clock, openCalls, views, connections, vault, sealed, llm, randomId } = ports;
  const rounds: Rounds = new Map();
  /** Its schema, too: titles and descriptions are shown. A form with an option that is a secret is never shown. */
  const concealForm = <F>(request: F, session: string): F => vault.conceal(request, { session, whole: true }).value;
  const gather = createGather(() => Bun.gc(true));
  const questions = createKept<KeptQuestion>(sealed, "question", gather);
  const tasks = createKept<KeptTask>(sealed, "task", gather);
  const askRound = createAskRound({ runtime, rounds, kept: questions, redact: vault.redactText, models: () => availableResponders(llm) });

  const connectionOf = (server: string) => {
    const connection = connections().of(server);
    return connection && { isAt: (place: string) => isConnectedTo(connection.wanted, place), requests: connection.downstream?.tasks };
  };
  const stops = createStops({ clock, catalogue: runtime.catalogue, kept: tasks, connectionOf });
  const watch = createTaskWatch({
    runtime,
    clock,
    kept: tasks,
    requestsOf: (server) => connectionOf(server)?.requests,
    finish: ports.finish,
    stops,
    waiting(id) {
      const { open } = runtime.stateOf(QUESTIONS) as QuestionsState;
      return Object.values(open).flatMap(({ id: question, task }) =>
        task === id ? Object.keys(questions.get(question)?.requests ?? {}) : [],
      );
    },
    async ask(task, { call, records }, requests, reply) {
      const limit = brokenLimit({ requests }, vault.redactText);
      if (limit !== undefined) return limit;
      const round = {
        source: "task",
        requests,
        questionId: `q_${randomId()}`,
        calls: [task.call],
        signal: new AbortController().signal,
        reply,
      } as const;
      const isDecided = await askRound(task.server, round, {
        open: { ...call, records, ...(call.isFollowed && { abilities: FOLLOWS }) },
        call,
        canWait: true,
        task: task.id,
      });
      if (!isDecided) reply(Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "decline" }])), []); // its call is over
      return undefined;
    },
  });
  const hands = createHands({ kept: questions, answered: watch.answered });

  /** Resolves with whether it is connected, at the latest after a moment. */
  const connected = async (server: string): Promise<boolean> => {
    const until = clock.now() + CONNECT_MS;
    for (let looks = 0; ; looks++) {
      const { state } = connections().of(server) ?? {};
      if (state === "connected") return true;
      if (state === undefined || clock.now() >= until) return false;
      if (looks % LOOKS_PER_ATTEMPT === 0) connections().hurry(server);
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    }
  };

  const answer = createAnswerQuestion({
    runtime,
    views,
    kept: questions,
    openCalls,
    digest: ports.digest,
    connected,
    hand: hands.take,
  });
  const counts = createCounts();
  const reads = createReadAsked({
    catalogue: runtime.catalogue,
    request: (server, request) => connections().request(server, request),
    redact: vault.redactText,
  });
  return {
    legs: {
      interim: createInterim({ runtime, askRound, kept: tasks, randomId }),
      accepts: ({ server }: Invoke, { native }: OpenCall) => {
        const catalogue = runtime.catalogue();
        const isFollowed = native !== true && serverOf(catalogue, server)?.policy.tasks === true;
        return { questions: elicitationOf(catalogue, server).mode !== "off", tasks: isFollowed };
      },
      forgotten: (question: Forgettable) =>
        void runtime
          .enter(QUESTIONS, { type: "forgotten", ...question, reason: "the server no longer knows the question that was answered" })
          .catch(() => undefined), // recorded as turn.failed
    },
    effects: {
      respond: createRespond({
        runtime,
        clock,
        openCalls,
        rounds,
        models: createResponders({ llm, vault, views, fence: () => `-----${randomId()}-----` }),
        shownCall: createShownCall({ catalogue: runtime.catalogue, openCall: openCalls.get, definitionOf: ports.definitionOf, vault }),
        operator: hands.operator,
        conceal: concealForm,
        redact: vault.redactText,
      }),
      questionSettled: hands.settled,
      tasks: watch,
    },
    inBand: createInBand({ runtime, openCalls, askRound, kept: tasks, whileReading: reads.inBand, randomId }) as (
      server: string,
      question: InBandQuestion,
    ) => Promise<InputResponse>,
    read: counts.ofReads(reads.read),
    knowsState: (agent: string, state: string) => ports.codec.open(state, agent) !== undefined,
    counts,
    async answer(request: AnswerRequest): Promise<AnswerOutcome> {
      const outcome = await answer(request);
      if (!outcome.ok) counts.unanswered(outcome.needsUser ? "decision-without-user" : REJECTED[outcome.status]);
      return outcome;
    },
    parked: createParkedResults({
      views,
      kept: questions,
      codec: ports.codec,
      now: runtime.now,
      conceal: concealForm,
      redact: vault.redactText,
    }),
    /** Rounds, answers and tasks that this process holds: none when nothing is open. */
    held: () => rounds.size + hands.size + watch.size,
    /** After a start. */
    resume: createResume({ runtime, views, questions, tasks, watch, stops }),
    /** The call of a task, as long as its end has not been acted upon. */
    callOfTask: (call: string): KeptCall | undefined => tasks.get(views.taskOf(call)?.id ?? "")?.call,
  };
}
