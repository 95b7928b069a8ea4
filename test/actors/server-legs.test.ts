/** What a server's actor decides when its server interrupts a call: asked, answered, waiting, going on, given up. */
import { describe, expect, test } from "bun:test";
import type { Questioned } from "../../actors/legs/commands.ts";
import { Server } from "../../actors/server.ts";
import { CallCancelling, CallDispatched, CallQueued, CallSettled, type ServerCallEvent } from "../../events/call.ts";
import type { GivenAnswer, ObservedQuestion } from "../../events/elicitation.ts";
import { CallQuestioned, CallResumed, CallSuspended, type ServerLegEvent } from "../../events/leg.ts";
import { CallRepeated, type RepeatEvent } from "../../events/repeat.ts";
import { given, NOW } from "../given.ts";
import { policy } from "./elicit-fixture.ts";
import { catalogueOf } from "./fixtures.ts";
import { connected, dispatched, flight } from "./server-fixture.ts";

const field = { name: "mailbox", type: "choice", required: true, decision: false } as const;
const seen: ObservedQuestion = { key: "which", mode: "form", fields: [field] };
const rules = (changes = {}, limits = {}) => catalogueOf({ elicitation: policy({ mode: "handback", ...changes }) }, limits);
const questioned: Questioned = {
  type: "questioned",
  calls: ["c_1"],
  source: "mrtr",
  questions: [seen],
  available: [],
  canHandBack: true,
  questionId: "q_1",
  payload: { messages: { which: "Which?" } },
};
const mine = { call: "c_1", session: "s_1" };
const treated = { ...seen, treatment: "handback", rule: "handback" } as const;
const asked = CallQuestioned(
  { ...mine, source: "mrtr", round: 1, questions: [treated], question: "q_1", way: "handback" },
  questioned.payload,
);
const suspended = CallSuspended({ ...mine, question: "q_1" });
const answers: GivenAnswer[] = [{ key: "which", action: "accept", by: "agent", fields: ["mailbox"] }];
const invoke = {
  type: "invoke",
  ...mine,
  server: "mail",
  tool: "send_mail",
  capability: "mutating",
  deadline: NOW + 5000,
  leg: 2,
} as const;
const responded = { type: "responded", calls: ["c_1"], source: "mrtr", answers, timeoutMs: 5000 } as const;
const resume = { type: "resume", call: "c_1", question: "q_1", source: "mrtr", answers, timeoutMs: 5000 } as const;
const at = (...past: (ServerCallEvent | ServerLegEvent | RepeatEvent)[]) =>
  given(Server, connected, dispatched, ...past)
    .as("server/mail")
    .with(rules());

describe("a question", () => {
  test("that the agent is to answer goes to the ledger, and nobody else is asked", () => {
    const about = { id: "q_1", ...mine, agent: "ada", server: "mail", tool: "send_mail", way: "handback", source: "mrtr", round: 1 };
    const open = { type: "open", ...about, questions: [treated], deadline: flight.deadline, payload: questioned.payload };
    at().when(questioned).emits(asked).causes({ type: "tell", to: "questions", command: open });
  });

  test("is answered by itself where the policy says how", () => {
    const { events } = at()
      .with(rules({ mode: "decline" }))
      .when(questioned);
    expect(events[0]?.data).toMatchObject({ questions: [{ treatment: "decline", rule: "mode" }] });
    expect(events[0]?.data).not.toHaveProperty("way");
  });

  test("an operator is waited for while the call is open: asked, and in the ledger", () => {
    const { events } = at()
      .with(rules({ responder: "operator" }))
      .when({ ...questioned, canHandBack: false, available: ["operator"] });
    expect(events[0]?.data).toMatchObject({ way: "operator", question: "q_1" });
  });

  test("counts in the bound of its call, form by form", () => {
    const { events } = at()
      .with(rules({ maxPerCall: 2 }))
      .when({ ...questioned, questions: ["a", "b", "c"].map((key) => ({ ...seen, key })) });
    const treatments = ((events[0]?.data ?? asked.data) as typeof asked.data).questions.map(
      ({ treatment, rule }) => `${treatment} ${rule}`,
    );
    expect(treatments).toEqual(["handback handback", "handback handback", "decline maxPerCall"]);
  });

  test("that may be about several calls is noted of all, and not handed back", () => {
    const other = CallDispatched({ ...flight, call: "c_2", session: "s_2" });
    const { events, state } = at(other).when({ ...questioned, source: "in_band", calls: ["c_1", "c_2"] });
    expect(events[0]?.data).toMatchObject({ also: ["c_2"], questions: [{ treatment: "decline" }] });
    expect([state.inFlight["c_1"]?.questions, state.inFlight["c_2"]?.questions]).toEqual([1, 1]);
  });

  test("gives its slot to a call that waits for one", () => {
    const waiting = CallQueued({ ...flight, call: "c_2", name: "mail__send_mail", reason: "slots", digest: "d2" });
    at(waiting)
      .with(rules({}, { slotsPerServer: 1 }))
      .when(questioned)
      .emitsTypes("call.questioned", "call.dispatched");
  });

  test("beyond a bound ends its call, and so does an eleventh round", () => {
    const ended = (reason: string) =>
      CallSettled({ ...mine, capability: "mutating", certainty: "not_applied", code: "execution_failed", reason });
    at()
      .when({ ...questioned, questions: [], limit: "requests-per-round" })
      .emits(ended("what the server asks is beyond a bound (requests-per-round)"));
    const tenth = CallQuestioned({ ...asked.data, round: 10 });
    at(tenth).when(questioned).emits(ended("what the server asks is beyond a bound (rounds-per-call)"));
  });

  test("nobody is asked for a call that is to stop, nor is it sent again", () => {
    const cancelling = CallCancelling({ call: "c_1", by: "client" });
    const reason = "it was cancelled while its server waited for an answer";
    const ended = CallSettled({ ...mine, capability: "mutating", certainty: "not_applied", code: "cancelled", reason });
    at(cancelling).when(questioned).emits(ended);
    at(asked, cancelling).when(responded).emits(ended);
  });

  test("of a call that is over is nobody's", () => {
    given(Server, connected).as("server/mail").with(rules()).when(questioned).emits();
  });

  test("for which there is no place is treated anew: declined", () => {
    const { events } = at(asked).when({ type: "turnedDown", call: "c_1", limit: "bridge.maxPendingQuestions" });
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toMatchObject({ round: 1, questions: [{ treatment: "decline", rule: "bridge.maxPendingQuestions" }] });
    expect(events[0]?.data).not.toHaveProperty("way");
  });
});

describe("a call that waits", () => {
  test("is not in flight, tells its session, and holds no slot", () => {
    const { state } = at(asked)
      .when({ type: "suspend", call: "c_1", question: "q_1" })
      .emits(suspended)
      .causes({ type: "tell", to: "session/s_1", command: { type: "suspended", call: "c_1", question: "q_1" } });
    expect([Object.keys(state.inFlight), Object.keys(state.suspended)]).toEqual([[], ["c_1"]]);
  });

  test("for a task is stopped with it when it was to stop before", () => {
    at(CallCancelling({ call: "c_1", by: "client" }))
      .when({ type: "suspend", call: "c_1", task: "t_1" })
      .causes(
        { type: "tell", to: "session/s_1", command: { type: "suspended", call: "c_1", task: "t_1" } },
        { type: "tell", to: "tasks", command: { type: "cancel", id: "t_1", by: "client" } },
      );
  });

  test("goes on with the answer to its question, once, with all its time, as a further request", () => {
    const resumed = CallResumed({
      ...mine,
      capability: "mutating",
      source: "mrtr",
      answers,
      question: "q_1",
      leg: 2,
      deadline: NOW + 5000,
    });
    const waiting = at(asked, suspended);
    waiting.when(resume).emits(resumed).causes(invoke);
    waiting.when(resume, resume).emits(resumed);
    waiting.when({ ...resume, question: "q_2" }).emits();
  });

  test("claimed, its session hears before it is sent", () => {
    const claim = { type: "tell", to: "session/s_1", command: { type: "claim", call: "c_1" } } as const;
    const { state } = at(asked, suspended)
      .when({ ...resume, claimed: true })
      .emitsTypes("call.resumed")
      .causes(claim, invoke);
    expect(state.inFlight["c_1"]).toMatchObject({ legs: 2, rounds: 1, questions: 1 });
  });

  test("ends when what it waited for will not come, in doubt only where it may have acted", () => {
    const abandon = { type: "abandon", call: "c_1", certainty: "not_applied", code: "timeout", reason: "late" } as const;
    const settled = { ...mine, capability: "mutating", code: "timeout", reason: "late" } as const;
    const waiting = at(asked, suspended);
    waiting.when(abandon).emits(CallSettled({ ...settled, certainty: "not_applied" }));
    waiting.when({ ...abandon, certainty: "in_doubt" }).emits(CallSettled({ ...settled, certainty: "in_doubt", since: NOW }));
    at().when({ type: "abandon", call: "c_9", certainty: "not_applied", code: "timeout", reason: "late" }).emits();
  });

  test("asks its ledger when it is cancelled, and survives a restart of ours untouched", () => {
    const waiting = at(asked, suspended);
    const cancel = { type: "cancel", id: "q_1", reason: "cancelled by operator" };
    waiting
      .when({ type: "cancel", call: "c_1", by: "operator" })
      .emits(CallCancelling({ call: "c_1", by: "operator" }))
      .causes({ type: "tell", to: "questions", command: cancel });
    waiting.whenRestarted().emitsTypes("server.disconnected");
  });
});

test("what a repeat has added to the arguments goes out again with the answers", () => {
  const repeated = CallRepeated({ ...mine, capability: "read", leg: 2, field: "zone", source: "time_zone", value: "UTC" });
  at(repeated, asked)
    .when(responded)
    .emitsTypes("call.resumed")
    .causes({ ...invoke, filled: { zone: "UTC" } });
});
