import { describe, expect, test } from "bun:test";
import { Server } from "../../actors/server.ts";
import { CallCancelling, CallDispatched, CallQueued, CallRejected, CallResolved, CallSettled } from "../../events/call.ts";
import { ServerConnected, ServerDisconnected } from "../../events/server.ts";
import { given, NOW } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";

const call = { call: "c_1", session: "s_1", agent: "ada", tool: "send_mail", capability: "mutating", digest: "d1" } as const;
const dispatch = { type: "dispatch", ...call, name: "mail__send_mail", timeoutMs: 60_000 } as const;
const flight = { ...call, deadline: NOW + 60_000 };
const dispatched = CallDispatched(flight);
const doubted = CallSettled({
  call: "c_1",
  session: "s_1",
  capability: "mutating",
  certainty: "in_doubt",
  code: "timeout",
  since: NOW - 5,
});
const connected = ServerConnected({
  id: "aaaaaaaaaaaa",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  era: "legacy",
  implementation: "mail 1",
});

describe("a connected server", () => {
  test("records the intent, then calls out", () => {
    given(Server, connected)
      .as("server/mail")
      .when(dispatch)
      .emits(dispatched)
      .causes({
        type: "invoke",
        call: "c_1",
        session: "s_1",
        server: "mail",
        tool: "send_mail",
        capability: "mutating",
        deadline: NOW + 60_000,
      });
  });

  test("settles a call with what came back, and tells the session", () => {
    const settled = CallSettled({ call: "c_1", session: "s_1", capability: "mutating", certainty: "answered" }, { content: [] });
    given(Server, connected, dispatched)
      .when({ type: "return", call: "c_1", certainty: "answered", payload: { content: [] } })
      .emits(settled)
      .causes({ type: "tell", to: "session/s_1", command: { type: "settle", call: "c_1", certainty: "answered" } });
  });

  test("queues a call when no slot is free, and sends it when one is", () => {
    const catalogue = catalogueOf({}, { slotsPerServer: 1 });
    const second = { ...flight, call: "c_2", name: "mail__send_mail" };
    const queued = CallQueued({ ...second, reason: "slots" });
    given(Server, connected, dispatched)
      .with(catalogue)
      .when({ ...dispatch, call: "c_2" })
      .emits(queued)
      .causes({ type: "wake", key: "c_2", at: NOW + 60_000 });
    given(Server, connected, dispatched, queued)
      .as("server/mail")
      .with(catalogue)
      .when({ type: "return", call: "c_1", certainty: "answered" })
      .emits(
        CallSettled({ call: "c_1", session: "s_1", capability: "mutating", certainty: "answered" }),
        CallDispatched({ ...flight, call: "c_2", queued: true }),
      );
  });

  test("does not send a waiting call whose twin has just fallen in doubt", () => {
    const queued = CallQueued({ ...flight, call: "c_2", name: "mail__send_mail", reason: "slots" });
    const outcome = given(Server, connected, dispatched, queued)
      .as("server/mail")
      .with(catalogueOf({}, { slotsPerServer: 1 }))
      .when({ type: "return", call: "c_1", certainty: "in_doubt", code: "timeout" });
    expect(outcome.events.at(-1)).toEqual(CallRejected({ call: "c_2", session: "s_1", code: "in_doubt", twin: "c_1", since: NOW }));
  });

  test("sends a waiting call as what it may do by now", () => {
    const queued = CallQueued({ ...flight, call: "c_2", capability: "read", name: "mail__send_mail", reason: "slots" });
    const outcome = given(Server, connected, dispatched, queued)
      .as("server/mail")
      .with(catalogueOf({ capabilities: { send_mail: "idempotent" } }, { slotsPerServer: 1 }))
      .when({ type: "return", call: "c_1", certainty: "answered" });
    expect(outcome.events.at(-1)?.data).toMatchObject({ call: "c_2", capability: "idempotent" });
  });

  test("judges a waiting call again before it sends it: its tool may have been denied meanwhile", () => {
    const queued = CallQueued({ ...flight, call: "c_2", name: "mail__send_mail", reason: "slots" });
    const outcome = given(Server, connected, dispatched, queued)
      .with(catalogueOf({ deniedTools: ["send_mail"] }, { slotsPerServer: 1 }))
      .when({ type: "return", call: "c_1", certainty: "answered" });
    expect(outcome.events.at(-1)).toEqual(
      CallRejected({ call: "c_2", session: "s_1", code: "refused", reason: "it may not be called any more" }),
    );
  });

  test("is overloaded when nobody may wait any more", () => {
    given(Server, connected, dispatched)
      .with(catalogueOf({}, { slotsPerServer: 1, waitingPerServer: 0 }))
      .when({ ...dispatch, call: "c_2", digest: "d2" })
      .emits(CallRejected({ call: "c_2", session: "s_1", code: "overloaded", reason: "too many calls wait for this server" }));
  });

  test("rejects a waiting call whose time ran out, and ignores a timer that is no longer needed", () => {
    const queued = CallQueued({ ...flight, call: "c_2", name: "mail__send_mail", reason: "slots" });
    const late = given(Server, connected, dispatched, queued).now(NOW + 60_000);
    late
      .when({ type: "wake", key: "c_2" })
      .emits(CallRejected({ call: "c_2", session: "s_1", code: "timeout", reason: "its time ran out while it waited" }));
    late.when({ type: "wake", key: "c_1" }).emits();
  });

  test("drops a waiting call that is cancelled, and asks the world to stop a running one", () => {
    const queued = CallQueued({ ...flight, call: "c_2", name: "mail__send_mail", reason: "slots" });
    const state = given(Server, connected, dispatched, queued);
    state
      .when({ type: "cancel", call: "c_2", by: "client" })
      .emits(CallRejected({ call: "c_2", session: "s_1", code: "cancelled", reason: "cancelled by client" }));
    state
      .when({ type: "cancel", call: "c_1", by: "client" })
      .emits(CallCancelling({ call: "c_1", by: "client" }))
      .causes({ type: "cancel", call: "c_1" });
  });
});

describe("a server that is not connected", () => {
  test("lets the call wait and asks for a connection", () => {
    given(Server)
      .as("server/mail")
      .when(dispatch)
      .emits(CallQueued({ ...flight, name: "mail__send_mail", reason: "connecting" }))
      .causes({ type: "wake", key: "c_1", at: NOW + 60_000 }, { type: "connect", server: "mail" });
  });

  test("rejects what waits when it cannot be reached: nothing was sent", () => {
    given(Server, CallQueued({ ...flight, name: "mail__send_mail", reason: "connecting" }))
      .when({ type: "unreachable", reason: "refused" })
      .emits(CallRejected({ call: "c_1", session: "s_1", code: "not_connected", reason: "refused" }));
  });

  test("sends what waits as soon as it is connected", () => {
    const introduction = {
      id: "aaaaaaaaaaaa",
      transport: "stdio",
      protocolVersion: "2025-11-25",
      era: "legacy",
      implementation: "m 1",
    } as const;
    given(Server, CallQueued({ ...flight, name: "mail__send_mail", reason: "connecting" }))
      .as("server/mail")
      .with(catalogueOf())
      .when({ type: "connected", ...introduction })
      .emits(ServerConnected(introduction), CallDispatched({ ...flight, queued: true }));
  });
});

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
      .causes({ type: "tell", to: "session/s_1", command: { type: "resolved", call: "c_1", by: "server" } });
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
