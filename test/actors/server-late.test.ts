/** What a server asks when nobody waits for the call any more: an answer as well. */
import { describe, expect, test } from "bun:test";
import type { Questioned } from "../../actors/legs/commands.ts";
import { Server } from "../../actors/server.ts";
import { CallResolved, CallSettled, type ServerCallEvent } from "../../events/call.ts";
import { CallRepeated, type RepeatEvent } from "../../events/repeat.ts";
import { given, NOW } from "../given.ts";
import { connected, dispatched } from "./server-fixture.ts";

const mine = { call: "c_1", session: "s_1" };
const questioned: Questioned = {
  type: "questioned",
  calls: ["c_1"],
  source: "mrtr",
  questions: [],
  available: [],
  canHandBack: true,
  questionId: "q_1",
};
const late = CallSettled({ ...mine, capability: "mutating", certainty: "in_doubt", code: "timeout", since: NOW });
const at = (...past: (ServerCallEvent | RepeatEvent)[]) => given(Server, connected, dispatched, ...past).as("server/mail");

describe("a question for a call that is in doubt", () => {
  test("as the answer to its request says that nothing was done", () => {
    const { state } = at(late)
      .when(questioned)
      .emits(CallResolved({ ...mine, outcome: "not_applied", by: "server" }));
    expect(state.inDoubt).toEqual({});
  });

  test("on the open connection, or after a request that was answered, leaves it so", () => {
    at(late)
      .when({ ...questioned, source: "in_band" })
      .emits();
    const repeated = CallRepeated({ ...mine, capability: "idempotent", leg: 2, field: "zone", source: "time_zone", value: "UTC" });
    at(repeated, late).when(questioned).emits();
  });
});
