/** The ledger of questions that wait for somebody outside their call: it holds the open ones, keeps the bounds, and takes one answer for each. */
import type { Field } from "../events/elicitation.ts";
import {
  QuestionAnswered,
  QuestionCancelled,
  QuestionDeclined,
  type QuestionEvent,
  QuestionExpired,
  QuestionLapsed,
  QuestionOpened,
  QuestionRefused,
} from "../events/question.ts";
import { serverAddress, sessionAddress, TASKS } from "./address.ts";
import { elicitationOf, placeOf, questionLimits, serverOf, whyGone } from "./catalogue.ts";
import { defineActor, type TurnContext } from "./define.ts";
import { roundForm } from "./elicit/round.ts";
import { isPutOutside, type Treated } from "./legs/treated.ts";
import type { OpenQuestion, QuestionSettled, QuestionsCommand, QuestionsEffect, QuestionsState } from "./questions-commands.ts";
import { without } from "./server-rules.ts";

const MINUTE_MS = 60_000;
/** Of the event's data and of what a command names. */
const aboutOf = ({
  id,
  call,
  session,
  agent,
  server,
  way,
  source,
  task,
}: Omit<OpenQuestion, "serverId" | "round" | "createdAt" | "expiresAt">) => ({
  id,
  call,
  session,
  agent,
  server,
  way,
  source,
  ...(task !== undefined && { task }),
});

/** Of all forms of the round that somebody outside answers, by the names that an answer calls them. */
const fieldsOf = (questions: readonly Treated[]): Field[] =>
  roundForm(questions.filter(isPutOutside)).fields.map(({ name, type, required, decision }) => ({ name, type, required, decision }));

type Command<T extends QuestionsCommand["type"]> = Extract<QuestionsCommand, { readonly type: T }>;

function open(
  state: QuestionsState,
  { type: _, deadline, tool, questions, payload, ...command }: Command<"open">,
  turn: TurnContext,
): QuestionEvent[] {
  const { catalogue, now } = turn;
  const { perSession, total } = questionLimits(catalogue);
  const others = Object.values(state.open);
  const server = serverOf(catalogue, command.server);
  const about = aboutOf({ ...command, server: server?.name ?? command.server });
  if (others.length >= total) return [QuestionRefused({ ...about, limit: "bridge.maxPendingQuestions" })];
  if (others.filter(({ session }) => session === command.session).length >= perSession)
    return [QuestionRefused({ ...about, limit: "bridge.maxPendingQuestionsPerSession" })];
  const ttlMs = Math.round(elicitationOf(catalogue, command.server).handbackTtlMinutes * MINUTE_MS);
  const expiresAt = command.way === "operator" && command.task === undefined ? deadline : now + ttlMs;
  const { name = server?.offers.get(tool)?.name ?? tool, round } = command;
  const known = { serverId: server ? placeOf(server) : "", tool, name, round };
  return [QuestionOpened({ ...about, ...known, fields: fieldsOf(questions), createdAt: now, expiresAt }, payload)];
}

const cancelled = (question: OpenQuestion, reason: string) => QuestionCancelled({ ...aboutOf(question), reason });
const settle = (state: QuestionsState, { id }: { readonly id: string }): QuestionsState => ({ open: without(state.open, id) });
const questionKey = (id: string): string => `question:${id}`;

type Ended = { readonly id: string; readonly call: string; readonly server: string } & Pick<OpenQuestion, "way" | "source" | "task">;
const settled = ({ id, way, source, task }: Ended, how: QuestionSettled["how"]): QuestionsEffect[] => [
  { type: "rest", key: questionKey(id) },
  { type: "questionSettled", id, way, source, how, ...(task !== undefined && { task }) },
];
/**
 * The call that waited for it ends: nothing was done. A task, a request on whose connection it was asked, and a call that waits for an operator
 * go on without an answer.
 */
const abandon = (
  { call, server, source, way }: Ended,
  code: "timeout" | "execution_failed" | "cancelled",
  reason: string,
): readonly QuestionsEffect[] =>
  source === "mrtr" && way !== "operator"
    ? [{ type: "tell", to: serverAddress(server), command: { type: "abandon", call, certainty: "not_applied", code, reason } }]
    : [];
const going = ({
  id,
  call,
  server,
  way,
  source,
  task,
  answers,
  timeoutMs,
  claimed,
}: Extract<QuestionEvent, { type: "question.declined" }>["data"]): QuestionsEffect[] => {
  if (task !== undefined) return [{ type: "tell", to: TASKS, command: { type: "goesOn", of: { id: task } } }];
  if (way === "operator") return []; // whoever waits in this process sends it
  const resume = { type: "resume", call, question: id, source, answers, timeoutMs, ...(claimed && { claimed }) };
  return [
    { type: "tell", to: serverAddress(server), command: resume },
    { type: "tell", to: TASKS, command: { type: "goesOn", of: { call } } },
  ];
};

export const Questions = defineActor<QuestionsState, QuestionsCommand, QuestionEvent, QuestionsEffect>({
  kind: "questions",
  shape: 1,
  initialState: { open: {} },
  decide: {
    open,
    answer: (state, { type: _, id, digest, answers, ...given }, { now }) => {
      const question = state.open[id];
      if (!question || question.expiresAt <= now) return [];
      return [QuestionAnswered({ ...aboutOf(question), ...given, answers: [...answers], digest })];
    },
    decline: (state, { type: _, id, answers, ...given }) => {
      const question = state.open[id];
      return question ? [QuestionDeclined({ ...aboutOf(question), ...given, answers: [...answers] })] : [];
    },
    wake: (state, { key }, { now }) =>
      Object.values(state.open)
        .filter(({ id, expiresAt }) => questionKey(id) === key && expiresAt <= now)
        .map((question) => QuestionExpired(aboutOf(question))),
    lapse: (state, { id, reason }) => {
      const question = state.open[id];
      return question ? [QuestionLapsed({ ...aboutOf(question), reason })] : [];
    },
    forgotten: (_, { type: _t, reason, ...question }) => [QuestionLapsed({ ...aboutOf(question), reason })],
    cancel: (state, { id, reason }) => {
      const question = state.open[id];
      return question ? [cancelled(question, reason)] : [];
    },
    drop: (state, { call, reason }) =>
      Object.values(state.open)
        .filter((question) => question.call === call)
        .map((question) => cancelled(question, reason)),
    review: (state, _, { catalogue }) =>
      Object.values(state.open).flatMap((question) => {
        const gone = whyGone(serverOf(catalogue, question.server), question.serverId);
        if (gone !== undefined) return [cancelled(question, gone)];
        const { mode } = elicitationOf(catalogue, question.server);
        const isOver = mode === "off" || mode === "decline" || (question.way === "handback" && mode !== "handback");
        return isOver ? [cancelled(question, "the policy of its server has changed")] : [];
      }),
    // The connection on which it was asked ended with the process.
    interrupt: (state) =>
      Object.values(state.open)
        .filter(({ way, source }) => way === "operator" && source !== "task")
        .map((question) => QuestionLapsed({ ...aboutOf(question), reason: "its call was interrupted by a restart" })),
  },
  evolve: {
    "question.opened": (state, { id, serverId, round, createdAt, expiresAt, ...about }) => ({
      open: { ...state.open, [id]: { ...aboutOf({ id, ...about }), serverId, round, createdAt, expiresAt } },
    }),
    "question.refused": (state) => state,
    "question.answered": settle,
    "question.declined": settle,
    "question.expired": settle,
    "question.lapsed": settle,
    "question.cancelled": settle,
  },
  react: {
    "question.opened": ({ id, call, server, session, way, task, expiresAt }) => {
      const wake = { type: "wake", key: questionKey(id), at: expiresAt } as const;
      if (task !== undefined)
        return [
          wake,
          { type: "tell", to: TASKS, command: { type: "asks", of: { id: task } } },
          { type: "tell", to: sessionAddress(session), command: { type: "note", ids: [id] } },
        ];
      if (way === "operator") return [wake];
      return [
        wake,
        { type: "tell", to: serverAddress(server), command: { type: "suspend", call, question: id } },
        { type: "tell", to: TASKS, command: { type: "asks", of: { call } } },
      ];
    },
    "question.refused": ({ call, server, limit }) => [
      { type: "tell", to: serverAddress(server), command: { type: "turnedDown", call, limit } },
    ],
    "question.answered": (data) => [...settled(data, "answered"), ...going(data)],
    "question.declined": (data) => [...settled(data, "declined"), ...going(data)],
    "question.expired": (data) => [
      ...settled(data, "expired"),
      ...abandon(data, "timeout", "nobody answered the server's question in time"),
    ],
    "question.lapsed": (data) => [...settled(data, "lapsed"), ...abandon(data, "execution_failed", data.reason)],
    "question.cancelled": (data) => [...settled(data, "cancelled"), ...abandon(data, "cancelled", data.reason)],
  },
  recover: ({ open: questions }) => (Object.keys(questions).length > 0 ? [{ type: "interrupt" }] : []),
  isQuiet: () => false,
});
