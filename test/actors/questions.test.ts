/** The ledger of questions: what it takes, whose answer counts, and what becomes of those that nobody answers. */
import { describe, expect, test } from "bun:test";
import { Questions } from "../../actors/questions.ts";
import type { QuestionsCommand } from "../../actors/questions-commands.ts";
import type { GivenAnswer } from "../../events/elicitation.ts";
import {
  QuestionAnswered,
  QuestionCancelled,
  QuestionDeclined,
  type QuestionEvent,
  QuestionExpired,
  QuestionLapsed,
  QuestionOpened,
  QuestionRefused,
} from "../../events/question.ts";
import { given, NOW } from "../given.ts";
import { policy } from "./elicit-fixture.ts";
import { catalogueOf } from "./fixtures.ts";

const MINUTE = 60_000;
const field = { name: "mailbox", type: "choice", required: true, decision: false } as const;
const treated = { key: "which", mode: "form", fields: [field], treatment: "handback", rule: "handback" } as const;
const about = { id: "q_1", call: "c_1", session: "s_1", agent: "ada", server: "mail", way: "handback", source: "mrtr" } as const;
const open: Extract<QuestionsCommand, { type: "open" }> = {
  type: "open",
  ...about,
  tool: "send_mail",
  round: 1,
  questions: [{ ...treated, fields: [field] }],
  deadline: NOW + 7000,
  payload: { messages: { which: "Which?" } },
};
const rules = (changes = {}, limits = {}) => catalogueOf({ elicitation: policy({ mode: "handback", ...changes }) }, limits);
type Opened = Parameters<typeof QuestionOpened>[0];
const openedWith = (more: Partial<Opened> = {}) =>
  QuestionOpened(
    {
      ...about,
      serverId: "aaaaaaaaaaaa",
      tool: "send_mail",
      name: "mail__send_mail",
      round: 1,
      fields: [field],
      createdAt: NOW,
      expiresAt: NOW + 30 * MINUTE,
      ...more,
    },
    open.payload,
  );
const opened = openedWith();
const answers: GivenAnswer[] = [{ key: "which", action: "accept", by: "agent", fields: ["mailbox"] }];
const said = { by: "agent:ada", answers, timeoutMs: 5000 };
const answer = { type: "answer", id: "q_1", digest: "d", ...said } as const;
const decline = { type: "decline", id: "q_1", ...said } as const;
const ledger = (...past: QuestionEvent[]) => given(Questions, ...past).with(rules());
const rest = { type: "rest", key: "question:q_1" } as const;
const followed = (type: "asks" | "goesOn") => ({ type: "tell", to: "tasks", command: { type, of: { call: "c_1" } } }) as const;
const over = (how: "answered" | "declined" | "expired" | "lapsed" | "cancelled") =>
  ({ type: "questionSettled", id: "q_1", way: "handback", source: "mrtr", how }) as const;
const abandon = (code: "timeout" | "execution_failed" | "cancelled", reason: string) =>
  ({ type: "tell", to: "server/mail", command: { type: "abandon", call: "c_1", certainty: "not_applied", code, reason } }) as const;

describe("a question is taken", () => {
  test("with its time to live, and then its call waits", () => {
    const suspend = { type: "suspend", call: "c_1", question: "q_1" };
    ledger()
      .when(open)
      .emits(opened)
      .causes(
        { type: "wake", key: "question:q_1", at: NOW + 30 * MINUTE },
        { type: "tell", to: "server/mail", command: suspend },
        followed("asks"),
      );
  });

  test("for an operator only as long as its call has time, and the call does not end with it", () => {
    const { state } = ledger()
      .when({ ...open, way: "operator" })
      .emits(openedWith({ way: "operator", expiresAt: NOW + 7000 }))
      .causes({ type: "wake", key: "question:q_1", at: NOW + 7000 });
    expect(Object.keys(state.open)).toEqual(["q_1"]);
  });

  test("while there is room: first in all, then for its session; the server hears that nobody answers", () => {
    const five = Array.from({ length: 5 }, (_, at) => openedWith({ id: `q_old${at}`, call: `c_old${at}` }));
    const refused = (limit: string) => QuestionRefused({ ...about, limit });
    const turnedDown = (limit: string) =>
      ({ type: "tell", to: "server/mail", command: { type: "turnedDown", call: "c_1", limit } }) as const;
    ledger(...five)
      .when(open)
      .emits(refused("bridge.maxPendingQuestionsPerSession"))
      .causes(turnedDown("bridge.maxPendingQuestionsPerSession"));
    ledger(...five)
      .when({ ...open, session: "s_2" })
      .emitsTypes("question.opened");
    ledger(...five)
      .with(rules({}, { questions: { perSession: 5, total: 5 } }))
      .when(open)
      .emits(refused("bridge.maxPendingQuestions"));
  });
});

describe("an answer", () => {
  test("goes on with the call, once; a claim goes with it", () => {
    const resume = { type: "resume", call: "c_1", question: "q_1", source: "mrtr", answers, timeoutMs: 5000, claimed: true };
    ledger(opened)
      .when({ ...answer, claimed: true })
      .emits(QuestionAnswered({ ...about, ...said, claimed: true, digest: "d" }))
      .causes(rest, over("answered"), { type: "tell", to: "server/mail", command: resume }, followed("goesOn"));
    ledger(opened).when(answer, answer, decline).emitsTypes("question.answered");
  });

  test("may be a refusal", () => {
    ledger(opened)
      .when(decline)
      .emits(QuestionDeclined({ ...about, ...said }));
  });

  test("comes too late when the time has run out, whether or not anybody noticed", () => {
    ledger(opened)
      .now(NOW + 30 * MINUTE)
      .when(answer)
      .emits();
    ledger(opened, QuestionExpired(about)).when(answer, decline).emits();
  });

  test("of an operator, or to a task, is sent by whoever waits for it", () => {
    ledger(openedWith({ way: "operator" }))
      .when({ ...answer, by: "operator:eve" })
      .causes(rest, { ...over("answered"), way: "operator" });
    const goesOn = { type: "tell", to: "tasks", command: { type: "goesOn", of: { id: "t_1" } } } as const;
    ledger(openedWith({ task: "t_1", source: "task" }))
      .when(answer)
      .causes(rest, { ...over("answered"), source: "task", task: "t_1" }, goesOn);
  });
});

describe("a question that nobody answers", () => {
  test("expires at its time and not before, and its call has done nothing", () => {
    const wake = { type: "wake", key: "question:q_1" } as const;
    ledger(opened).when(wake).emits();
    ledger(opened)
      .now(NOW + 30 * MINUTE)
      .when(wake)
      .emits(QuestionExpired(about))
      .causes(rest, over("expired"), abandon("timeout", "nobody answered the server's question in time"));
  });

  test("does not end a task, nor a call that waits for an operator: they hear that nobody answers", () => {
    const wake = { type: "wake", key: "question:q_1" } as const;
    for (const more of [{ task: "t_1", source: "task" }, { way: "operator" }] as const)
      ledger(openedWith(more))
        .now(NOW + 30 * MINUTE)
        .when(wake)
        .causes(rest, { ...over("expired"), ...more });
  });

  test("is cancelled when its server is gone or another one, and when it may not be asked any more", () => {
    const review = { type: "review" } as const;
    const cancelled = (reason: string) => QuestionCancelled({ ...about, reason });
    ledger(opened).when(review).emits();
    ledger(openedWith({ serverId: "bbbbbbbbbbbb" }))
      .when(review)
      .emits(cancelled("its server was removed"))
      .causes(rest, over("cancelled"), abandon("cancelled", "its server was removed"));
    for (const mode of ["auto", "decline", "off"] as const)
      ledger(opened).with(rules({ mode })).when(review).emits(cancelled("the policy of its server has changed"));
    ledger(openedWith({ way: "client" }))
      .with(rules({ mode: "auto" }))
      .when(review)
      .emits();
  });

  test("lapses when what it takes is gone; a server may also forget one that was answered", () => {
    const lapsed = QuestionLapsed({ ...about, reason: "gone" });
    ledger(opened)
      .when({ type: "lapse", id: "q_1", reason: "gone" })
      .emits(lapsed)
      .causes(rest, over("lapsed"), abandon("execution_failed", "gone"));
    ledger()
      .when({ type: "forgotten", reason: "gone", ...about })
      .emits(lapsed);
  });

  test("is given up with its call", () => {
    const cancelled = QuestionCancelled({ ...about, reason: "cancelled by client" });
    ledger(opened, openedWith({ id: "q_2", call: "c_2" }))
      .when({ type: "drop", call: "c_1", reason: "cancelled by client" })
      .emits(cancelled);
    ledger(opened).when({ type: "cancel", id: "q_1", reason: "cancelled by client" }).emits(cancelled);
    ledger().when({ type: "cancel", id: "q_1", reason: "cancelled by client" }).emits();
  });
});

test("a restart leaves questions open, but for those whose connection ended with the process", () => {
  const operators = openedWith({ id: "q_2", way: "operator", source: "in_band" });
  const ofTask = openedWith({ id: "q_3", way: "operator", source: "task", task: "t_1" });
  const { events } = ledger(opened, operators, ofTask).whenRestarted();
  expect(events.map(({ type, data }) => [type, data.id])).toEqual([["question.lapsed", "q_2"]]);
});
