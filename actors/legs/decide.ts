/** Calls that their server interrupts: it asks, the call waits for a question or a task, and goes on as a further leg. */
import { CallResolved, CallSettled, type ErrorCode, type ServerCallEvent } from "../../events/call.ts";
import type { QuestionWay, Treatment } from "../../events/elicitation.ts";
import { CallQuestioned, CallResumed, CallSuspended, type ServerLegEvent } from "../../events/leg.ts";
import { nameOf } from "../address.ts";
import { elicitationOf } from "../catalogue.ts";
import type { TurnContext } from "../define.ts";
import type { InFlight, ServerState } from "../server-commands.ts";
import { release } from "../server-queue.ts";
import { without } from "../server-rules.ts";
import type { LegCommand, Questioned } from "./commands.ts";
import { evolveLegs, flightOf } from "./evolve.ts";
import { treatRound } from "./treated.ts";

/** So often a server may ask in one call. */
export const MAX_ROUNDS = 10;
export const ROUNDS_LIMIT = "rounds-per-call";
type Command<T extends LegCommand["type"]> = Extract<LegCommand, { readonly type: T }>;
type Events = (ServerCallEvent | ServerLegEvent)[];

interface Unmade {
  readonly code: ErrorCode;
  readonly reason: string;
  /** It may have been done. */
  readonly isDoubt?: boolean;
}
/** It ends without an answer of its server. */
function unmade(state: ServerState, { call, session, capability }: InFlight, { code, reason, isDoubt }: Unmade, turn: TurnContext): Events {
  const certainty = isDoubt ? "in_doubt" : "not_applied";
  const ended = CallSettled({ call, session, capability, certainty, code, reason, ...(isDoubt && { since: turn.now }) });
  return [ended, ...release({ ...state, inFlight: without(state.inFlight, call) }, turn)];
}
/** Its time had run out when its server asked: that is an answer, too, and nothing was done before it. */
const tooLate = ({ inDoubt }: ServerState, call: string): Events => {
  const doubt = inDoubt[call];
  return doubt && !doubt.filled ? [CallResolved({ call, session: doubt.session, outcome: "not_applied", by: "server" })] : [];
};
/** Its server waits for an answer, and will get none. */
const CANCELLED = { code: "cancelled", reason: "it was cancelled while its server waited for an answer" } as const;

/** Of the treatments of one round, who outside is to answer. */
function wayOf(treated: readonly Treatment[], asksByResult: boolean): QuestionWay | undefined {
  if (treated.some(({ treatment }) => treatment === "handback")) return "handback";
  const asked = treated.find(({ treatment }) => treatment === "respond")?.responder;
  if (asked === "operator") return "operator";
  return asked === "client" && asksByResult ? "client" : undefined;
}

export const decideLegs = {
  questioned(state: ServerState, command: Questioned, turn: TurnContext): Events {
    const {
      calls,
      source,
      questions,
      available,
      canHandBack,
      asksClientByResult = false,
      questionId,
      name,
      task,
      limit,
      payload,
    } = command;
    const flights = calls.flatMap((call) => flightOf(state, call) ?? []);
    const [first, ...others] = flights;
    if (!first) return source === "mrtr" ? calls.flatMap((call) => tooLate(state, call)) : [];
    const round = 1 + Math.max(...flights.map(({ rounds = 0 }) => rounds));
    const isBeyond = source !== "task" && round > MAX_ROUNDS;
    const broken = limit ?? (isBeyond ? ROUNDS_LIMIT : undefined);
    if (first.cancelling && source === "mrtr") return unmade(state, first, CANCELLED, turn);
    if (broken !== undefined && source === "mrtr") {
      // One that asks for too much until nobody answers it: the reader wants to know what was too much.
      const limits = [...new Set([...questions.flatMap((question) => question.limit ?? []), broken])].join(", ");
      return unmade(state, first, { code: "execution_failed", reason: `what the server asks is beyond a bound (${limits})` }, turn);
    }
    const policy = elicitationOf(turn.catalogue, nameOf(turn.self));
    const treated = isBeyond
      ? questions.map((question) => ({ ...question, treatment: "decline" as const, rule: ROUNDS_LIMIT }))
      : treatRound(questions, { policy, flights, available, canHandBack, inBand: source === "in_band" });
    const way = wayOf(treated, asksClientByResult);
    const questioned = CallQuestioned(
      {
        call: first.call,
        session: first.session,
        source,
        round,
        questions: treated,
        ...(others.length > 0 && { also: others.map(({ call }) => call) }),
        ...(way && { question: questionId, way, ...(name !== undefined && { name }) }),
        ...(task !== undefined && { task }),
      },
      payload,
    );
    return [questioned, ...release(evolveLegs["call.questioned"](state, questioned.data), turn)];
  },
  responded(state: ServerState, { calls, source, answers, timeoutMs }: Command<"responded">, turn: TurnContext): Events {
    const [first, ...others] = calls.flatMap((call) => flightOf(state, call) ?? []);
    if (!first?.asked) return [];
    if (first.cancelling && source === "mrtr") return unmade(state, first, CANCELLED, turn);
    const { call, session, capability, legs = 1 } = first;
    const also = others.length > 0 && { also: others.map(({ call: other }) => other) };
    const further = source === "mrtr" && { leg: legs + 1, deadline: turn.now + timeoutMs };
    return [CallResumed({ call, session, capability, source, answers: [...answers], ...also, ...further })];
  },
  turnedDown(state: ServerState, { call, limit }: Command<"turnedDown">): Events {
    const flight = flightOf(state, call);
    if (!flight?.asked) return [];
    const { question: _q, way: _w, ...asked } = flight.asked;
    const questions = asked.questions.map(({ responder: _r, withheld: _h, ...question }) =>
      question.treatment === "decline" || question.treatment === "defaults"
        ? question
        : { ...question, treatment: "decline" as const, rule: limit },
    );
    return [CallQuestioned({ ...asked, questions })];
  },
  suspend(state: ServerState, { call, question, task }: Command<"suspend">, turn: TurnContext): Events {
    const flight = state.inFlight[call];
    if (!flight) return [];
    const waits = { ...(question !== undefined && { question }), ...(task !== undefined && { task }) };
    const suspended = CallSuspended({ call, session: flight.session, ...waits });
    return [suspended, ...release(evolveLegs["call.suspended"](state, suspended.data), turn)];
  },
  resume(state: ServerState, { type: _, timeoutMs, answers, ...command }: Command<"resume">, { now }: TurnContext): Events {
    const flight = state.suspended[command.call];
    if (flight?.question !== command.question) return [];
    const { session, capability, legs = 1 } = flight;
    return [CallResumed({ ...command, session, capability, answers: [...answers], leg: legs + 1, deadline: now + timeoutMs })];
  },
  abandon(state: ServerState, { call, certainty, code, reason }: Command<"abandon">, turn: TurnContext): Events {
    const flight = flightOf(state, call);
    if (!flight) return [];
    return unmade(state, flight, { code, reason, isDoubt: certainty === "in_doubt" && flight.capability !== "read" }, turn);
  },
};
