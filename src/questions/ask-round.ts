/** Puts what a server asks to its actor: observed by the rules of the server, and sealed first where the call may have to wait for it. */
import { QUESTIONS, serverAddress } from "../../actors/address.ts";
import { type Catalogue, elicitationOf } from "../../actors/catalogue.ts";
import { observeQuestion } from "../../actors/elicit/form.ts";
import { flightOf } from "../../actors/legs/evolve.ts";
import { isPutOutside, treatRound } from "../../actors/legs/treated.ts";
import { authorise } from "../../actors/policy/allow.ts";
import type { QuestionsState } from "../../actors/questions-commands.ts";
import type { ServerState } from "../../actors/server-commands.ts";
import type { ObservedQuestion, Responder } from "../../events/elicitation.ts";
import { scopeOf } from "../calls/admission.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import type { Runtime } from "../runtime/turn.ts";
import { answeredByPolicy, askedForms, responsesOf } from "./answers.ts";
import type { Kept, KeptCall, KeptQuestion } from "./kept.ts";
import { brokenLimit, messagesOf, type Round, type Rounds } from "./rounds.ts";

export interface AskRoundPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf">;
  readonly rounds: Rounds;
  readonly kept: Kept<KeptQuestion>;
  readonly redact: (text: string) => string;
  /** Models that can be asked now. */
  readonly models: () => readonly Responder[];
}
/** Of the call that is interrupted: who made it, and what it takes to go on. */
export interface Interrupted {
  readonly open: Pick<OpenCall, "session" | "agent" | "profile" | "client" | "narrow" | "native" | "abilities" | "elicit" | "records">;
  readonly call: KeptCall;
  /** It can be answered with the question, and go on later: it is not one of several. */
  readonly canWait: boolean;
  /** Of the calls that it may be about, not all are of this session: its client's person is not asked about others. */
  readonly isShared?: boolean;
  readonly task?: string;
}

const ANSWER_TOOL = "mcp_answer";

/** Whether the agent of this call can answer a question that it gets as a result. That of a native one has no room for a text of ours. */
const canAnswer = (catalogue: Catalogue, { open, canWait }: Interrupted): boolean =>
  canWait && !open.native && authorise(catalogue, ANSWER_TOOL, scopeOf(open)).allowed;

/** Resolves when it is decided what becomes of the round; false when no call is open any more that it could belong to. */
export function createAskRound({ runtime, rounds, kept, redact, models }: AskRoundPorts) {
  return async (server: string, round: Round, about: Interrupted): Promise<boolean> => {
    const [first] = round.calls;
    if (first === undefined) return false;
    const catalogue = runtime.catalogue();
    const policy = elicitationOf(catalogue, server);
    const limit = brokenLimit(round, redact);
    const questions: ObservedQuestion[] = limit
      ? []
      : Object.entries(round.requests).map(([key, request]) => observeQuestion(key, request, policy, redact));
    const { abilities, elicit, records = [] } = about.open;
    const canHandBack = canAnswer(catalogue, about);
    const showsForms = abilities?.era === "modern" && abilities.elicitation;
    // With the answer to its request, or in the task that it follows.
    const byResult = showsForms && about.canWait && (round.source === "mrtr" || (round.source === "task" && abilities.tasks));
    const { responder } = policy;
    const available: Responder[] = [
      ...(byResult || (elicit && !about.isShared) ? (["client"] as const) : []),
      ...models(),
      ...(responder?.toLowerCase() === "operator" ? (["operator"] as const) : []), // nobody waits for one who does not know
    ];
    const flights = round.calls.flatMap((one) => flightOf(runtime.stateOf(serverAddress(server)) as ServerState, one) ?? []);
    const treated = treatRound(questions, { policy, flights, available, canHandBack, inBand: round.source === "in_band" });
    const outside = treated.filter(isPutOutside);
    const messages = limit === undefined ? messagesOf(round.requests, redact) : {};
    const waits = outside.some(({ treatment, responder: who }) => treatment === "handback" || who === "client" || who === "operator");
    if (waits && limit === undefined) {
      const answered = answeredByPolicy(treated, round.requests, policy);
      const { source, requests, requestState } = round;
      kept.put(round.questionId, {
        source,
        requests,
        ...(requestState !== undefined && { requestState }),
        responses: responsesOf(answered),
        given: answered.map(({ given }) => given),
        keys: outside.map(({ key }) => key),
        asked: askedForms(questions, messages),
        records,
        call: about.call,
      });
    }
    const isOpen = () => round.questionId in (runtime.stateOf(QUESTIONS) as QuestionsState).open;
    rounds.set(first, round);
    try {
      await runtime.enter(serverAddress(server), {
        type: "questioned",
        calls: round.calls,
        source: round.source,
        questions,
        available,
        canHandBack,
        questionId: round.questionId,
        name: about.call.name,
        ...(byResult && { asksClientByResult: true }),
        ...(about.task !== undefined && { task: about.task }),
        ...(limit !== undefined && { limit }),
        payload: { messages },
      });
      return rounds.get(first) !== round || isOpen();
    } finally {
      if (rounds.get(first) === round) rounds.delete(first);
      if (waits && !isOpen()) kept.drop(round.questionId);
    }
  };
}
