/** A call whose tool misses an argument that we know: when it goes out once more, and when it stays at its answer. */
import { describe, expect, test } from "bun:test";
import { EMPTY_CATALOGUE } from "../../actors/catalogue.ts";
import { Server } from "../../actors/server.ts";
import { CallCancelling, CallDispatched, CallSettled } from "../../events/call.ts";
import { CallRepeated } from "../../events/repeat.ts";
import { given, NOW } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";
import { connected, flight } from "./server-fixture.ts";

const read = { ...flight, tool: "list", capability: "read" } as const;
const reads = catalogueOf({ capabilities: { list: "read" } });
const again = { scope: { profile: "default", client: "cli" } } as const;
const fill = { field: "timezone", source: "time_zone", value: "UTC" } as const;
const answer = { content: [{ type: "text", text: "'timezone' is required" }], isError: true };
const failed = { type: "return", call: "c_1", certainty: "answered", isError: true, payload: answer, fill, again } as const;
const repeated = CallRepeated({ call: "c_1", session: "s_1", capability: "read", leg: 2, ...fill }, answer);
const settled = (capability: "read" | "idempotent" | "mutating") =>
  CallSettled({ call: "c_1", session: "s_1", capability, certainty: "answered", isError: true }, answer);

describe("a read that misses an argument we know", () => {
  test("goes out once more with it, as the same call, with its own deadline", () => {
    given(Server, connected, CallDispatched(read))
      .as("server/mail")
      .with(reads)
      .when(failed)
      .emits(repeated)
      .causes({
        type: "invoke",
        call: "c_1",
        session: "s_1",
        server: "mail",
        tool: "list",
        capability: "read",
        deadline: read.deadline,
        filled: { timezone: "UTC" },
      });
  });

  test("has one end, after the last leg", () => {
    given(Server, connected, CallDispatched(read), repeated)
      .as("server/mail")
      .with(reads)
      .when({ type: "return", call: "c_1", certainty: "answered", payload: { content: [] } })
      .emits(CallSettled({ call: "c_1", session: "s_1", capability: "read", certainty: "answered" }, { content: [] }));
  });

  test("is told of its second argument the same way, and sent with both", () => {
    const more = { field: "now", source: "time", value: "2026-07-28T12:00:00+00:00" } as const;
    const outcome = given(Server, connected, CallDispatched(read), repeated)
      .as("server/mail")
      .with(reads)
      .when({ ...failed, fill: more });
    outcome.emits(CallRepeated({ call: "c_1", session: "s_1", capability: "read", leg: 3, ...more }, answer));
    expect(outcome.state.inFlight["c_1"]?.filled).toEqual({ timezone: "UTC", now: more.value });
  });

  test("is not repeated for the same argument again", () => {
    given(Server, connected, CallDispatched(read), repeated).as("server/mail").with(reads).when(failed).emits(settled("read"));
  });

  test("is repeated four times at most", () => {
    const legs = ["a", "b", "c", "d"].map((field, n) =>
      CallRepeated({ call: "c_1", session: "s_1", capability: "read", leg: n + 2, ...fill, field }),
    );
    given(Server, connected, CallDispatched(read), ...legs)
      .as("server/mail")
      .with(reads)
      .when(failed)
      .emits(settled("read"));
    given(Server, connected, CallDispatched(read), ...legs.slice(1))
      .as("server/mail")
      .with(reads)
      .when(failed)
      .emitsTypes("call.repeated");
  });

  test("is not repeated when its time is up", () => {
    given(Server, connected, CallDispatched(read)).as("server/mail").with(reads).now(read.deadline).when(failed).emits(settled("read"));
  });

  test("is not repeated when somebody wants it to stop", () => {
    given(Server, connected, CallDispatched(read), CallCancelling({ call: "c_1", by: "client" }))
      .as("server/mail")
      .with(reads)
      .when(failed)
      .emits(settled("read"));
  });

  test.each([
    ["may not be called any more", catalogueOf({ deniedTools: ["list"], capabilities: { list: "read" } })],
    ["may act by now", catalogueOf({ capabilities: { list: "mutating" } })],
    ["is gone", EMPTY_CATALOGUE],
  ])("is not repeated when its tool %s", (_, catalogue) => {
    given(Server, connected, CallDispatched(read)).as("server/mail").with(catalogue).when(failed).emits(settled("read"));
  });
});

test("an idempotent call is repeated, too, and cut off in between it is in doubt like any other", () => {
  const put = { ...flight, capability: "idempotent" } as const;
  const second = CallRepeated({ call: "c_1", session: "s_1", capability: "idempotent", leg: 2, ...fill }, answer);
  given(Server, connected, CallDispatched(put))
    .as("server/mail")
    .with(catalogueOf({ capabilities: { send_mail: "idempotent" } }))
    .when(failed)
    .emits(second);
  const restarted = given(Server, connected, CallDispatched(put), second).whenRestarted();
  expect(restarted.events[0]?.data).toMatchObject({ certainty: "in_doubt", code: "in_doubt", since: NOW });
  const reading = given(Server, connected, CallDispatched(read), repeated).whenRestarted();
  expect(reading.events[0]?.data).toMatchObject({ certainty: "not_applied", code: "cancelled" });
});

test("a call that may act is never repeated, whatever is asked", () => {
  given(Server, connected, CallDispatched(flight)).as("server/mail").with(catalogueOf()).when(failed).emits(settled("mutating"));
});

test("neither is one whose outcome nobody knows, nor one that has ended", () => {
  const put = { ...flight, capability: "idempotent" } as const;
  const catalogue = catalogueOf({ capabilities: { send_mail: "idempotent" } });
  given(Server, connected, CallDispatched(put))
    .as("server/mail")
    .with(catalogue)
    .when({ ...failed, certainty: "in_doubt" })
    .emitsTypes("call.settled");
  given(Server, connected, CallDispatched(read), settled("read")).as("server/mail").with(reads).when(failed).emits();
});
