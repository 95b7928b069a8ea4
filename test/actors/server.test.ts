import { describe, expect, test } from "bun:test";
import { Server } from "../../actors/server.ts";
import { CallCancelling, CallDispatched, CallQueued, CallRejected, CallSettled } from "../../events/call.ts";
import { ServerConnected } from "../../events/server.ts";
import { given, NOW } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";
import { connected, dispatch, dispatched, flight } from "./server-fixture.ts";

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
      CallRejected({
        call: "c_2",
        session: "s_1",
        code: "refused",
        reason: "it may not be called any more",
        rule: "server-tool-lists",
      }),
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

  test("rejects what waits for want of a login as such", () => {
    given(Server, CallQueued({ ...flight, name: "mail__send_mail", reason: "connecting" }))
      .when({ type: "unreachable", reason: "log in", code: "auth_required" })
      .emits(CallRejected({ call: "c_1", session: "s_1", code: "auth_required", reason: "log in" }));
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
