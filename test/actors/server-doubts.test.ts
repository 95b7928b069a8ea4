import { describe, expect, test } from "bun:test";
import { Server } from "../../actors/server.ts";
import { CallDispatched, CallQueued, CallRejected, CallResolved, CallSettled } from "../../events/call.ts";
import { ServerDisconnected } from "../../events/server.ts";
import { given, NOW } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";
import { connected, dispatch, dispatched, doubted, flight } from "./server-fixture.ts";

describe("after a restart", () => {
  test("a mutating call is never sent again: it is in doubt", () => {
    given(Server, connected, dispatched)
      .whenRestarted()
      .emits(
        CallSettled({
          call: "c_1",
          session: "s_1",
          capability: "mutating",
          certainty: "in_doubt",
          code: "in_doubt",
          since: NOW,
          reason: "interrupted by a restart",
        }),
        ServerDisconnected({ id: "aaaaaaaaaaaa", reason: "restart" }),
      );
  });

  test("an interrupted read did nothing", () => {
    const outcome = given(Server, CallDispatched({ ...flight, capability: "read" })).whenRestarted();
    expect(outcome.events[0]?.data).toMatchObject({ certainty: "not_applied", code: "cancelled" });
  });

  test("a call that waited was not sent", () => {
    const outcome = given(Server, CallQueued({ ...flight, name: "mail__send_mail", reason: "slots" })).whenRestarted();
    expect(outcome.events[0]).toMatchObject({ type: "call.rejected", data: { code: "cancelled" } });
  });

  test("a server with nothing open has nothing to do", () => {
    given(Server, dispatched, doubted).whenRestarted().emits();
  });
});

describe("a doubt", () => {
  const inDoubt = given(Server, connected, dispatched, doubted);

  test("binds the identical mutating call of the same agent", () => {
    inDoubt
      .with(catalogueOf())
      .when({ ...dispatch, call: "c_2", session: "s_2" })
      .emits(CallRejected({ call: "c_2", session: "s_2", code: "in_doubt", twin: "c_1", since: NOW - 5 }));
  });

  test.each([
    ["other arguments", { digest: "d2" }],
    ["another tool", { tool: "list" }],
    ["a call that only reads", { capability: "read" }],
  ] as const)("does not bind %s", (_, change) => {
    inDoubt
      .with(catalogueOf())
      .when({ ...dispatch, call: "c_2", ...change })
      .emitsTypes("call.dispatched");
  });

  test("of another agent is only noticed", () => {
    inDoubt
      .with(catalogueOf())
      .when({ ...dispatch, call: "c_2", agent: "bob" })
      .emits(CallDispatched({ ...flight, call: "c_2", agent: "bob", twin: "c_1" }));
  });

  test("lapses as a rule after twinMs, and stays listed", () => {
    const outcome = inDoubt.with(catalogueOf({}, { twinMs: 3 })).when({ ...dispatch, call: "c_2" });
    outcome.emitsTypes("call.dispatched");
    expect(Object.keys(outcome.state.inDoubt)).toEqual(["c_1"]);
  });

  test("passes where the server says that the tool only reads", () => {
    const list = { ...flight, tool: "list" };
    given(Server, connected, CallDispatched(list), doubted)
      .as("server/mail")
      .with(catalogueOf())
      .when({ ...dispatch, call: "c_2", tool: "list", name: "mail__list" })
      .emits(CallDispatched({ ...list, call: "c_2", twin: "c_1" }));
  });

  test("is lifted by a late answer", () => {
    inDoubt
      .when({ type: "return", call: "c_1", certainty: "answered", payload: { content: [] } })
      .emits(CallResolved({ call: "c_1", session: "s_1", outcome: "answered", by: "server" }, { content: [] }))
      .causes({ type: "tell", to: "session/s_1", command: { type: "resolved", call: "c_1", outcome: "answered", by: "server" } });
  });

  test("is lifted by somebody's word, once; then the same call goes out again", () => {
    const resolved = CallResolved({ call: "c_1", session: "s_1", outcome: "not_applied", by: "operator:ada" });
    inDoubt.when({ type: "resolve", call: "c_1", outcome: "not_applied", by: "operator:ada" }).emits(resolved);
    const after = given(Server, connected, dispatched, doubted, resolved);
    after.when({ type: "resolve", call: "c_1", outcome: "applied", by: "operator:ada" }).emits();
    after.when({ ...dispatch, call: "c_2" }).emitsTypes("call.dispatched");
  });

  test("of an idempotent call is lifted by a repeat that was answered", () => {
    const first = { ...flight, capability: "idempotent" } as const;
    const outcome = given(Server, connected, CallDispatched(first), doubted, CallDispatched({ ...first, call: "c_2" })).when({
      type: "return",
      call: "c_2",
      certainty: "answered",
    });
    expect(outcome.events[1]).toEqual(CallResolved({ call: "c_1", session: "s_1", outcome: "answered", by: "repeat" }));
  });

  test("is not made a second time by a second time-out", () => {
    inDoubt.when({ type: "return", call: "c_1", certainty: "in_doubt", code: "timeout" }).emits();
  });
});

test("an answer to a call that nobody knows is ignored", () => {
  given(Server, connected).when({ type: "return", call: "c_9", certainty: "answered" }).emits();
});

test("a tool that decides inside the turn tells its actor and settles at once", () => {
  const deliver = { to: "server/other", command: { type: "resolve", call: "c_7" }, result: { content: [] } };
  const outcome = given(Server)
    .as("server/builtin")
    .when({ ...dispatch, capability: "idempotent", deliver, payload: { note: "seen" } });
  outcome.causes(
    { type: "tell", to: "server/other", command: { type: "resolve", call: "c_7", payload: { note: "seen" } } },
    { type: "tell", to: "server/builtin", command: { type: "return", call: "c_1", certainty: "answered", payload: { content: [] } } },
  );
});
