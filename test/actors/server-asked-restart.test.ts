/** What a restart makes of calls whose server had asked: whether something was under way. */
import { describe, expect, test } from "bun:test";
import { Server } from "../../actors/server.ts";
import type { CallSettled } from "../../events/call.ts";
import type { GivenAnswer } from "../../events/elicitation.ts";
import { CallQuestioned, CallResumed, type ServerLegEvent } from "../../events/leg.ts";
import { CallRepeated, type RepeatEvent } from "../../events/repeat.ts";
import { given, NOW } from "../given.ts";
import { connected, dispatched } from "./server-fixture.ts";

const mine = { call: "c_1", session: "s_1" };
const field = { name: "mailbox", type: "choice", required: true, decision: false } as const;
const treated = { key: "which", mode: "form", fields: [field], treatment: "respond", rule: "responder" } as const;
const answers: GivenAnswer[] = [{ key: "which", action: "accept", by: "llm", fields: ["mailbox"] }];
const askedBy = (source: "mrtr" | "in_band") => CallQuestioned({ ...mine, source, round: 1, questions: [{ ...treated, fields: [field] }] });
const resumed = CallResumed({ ...mine, capability: "mutating", source: "mrtr", answers, leg: 2, deadline: NOW + 5000 });

const endAfter = (...past: (ServerLegEvent | RepeatEvent)[]) => {
  const { events } = given(Server, connected, dispatched, ...past)
    .as("server/mail")
    .when({ type: "interrupt" });
  return (events[0] as ReturnType<typeof CallSettled>).data;
};
const REPEATED = CallRepeated({ ...mine, capability: "mutating", leg: 2, field: "zone", source: "time_zone", value: "UTC" });
const DOUBT = { certainty: "in_doubt", code: "in_doubt" };

describe("a restart in the middle", () => {
  test("of a question whose request is over: nothing was done", () => {
    expect(endAfter(askedBy("mrtr"))).toMatchObject({ certainty: "not_applied", code: "cancelled" });
  });

  test("of a question on the open connection: in doubt", () => {
    expect(endAfter(askedBy("in_band"))).toMatchObject(DOUBT);
  });

  test("of the request that takes the answers: in doubt", () => {
    expect(endAfter(askedBy("mrtr"), resumed)).toMatchObject(DOUBT);
  });

  test("of a question after a request that was answered: in doubt", () => {
    expect(endAfter(REPEATED, askedBy("mrtr"))).toMatchObject(DOUBT);
  });
});
