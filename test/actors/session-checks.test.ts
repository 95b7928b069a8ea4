/** Calls that hooks are asked about, as decisions of their session. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import { Session } from "../../actors/session.ts";
import type { SessionCommand } from "../../actors/session-commands.ts";
import { CallAdmitted } from "../../events/admitted.ts";
import { CallAnswered, CallRequested, CallUnclaimed } from "../../events/call.ts";
import { CallChecked } from "../../events/checked.ts";
import type { Observed, Verdict } from "../../events/policy.ts";
import { given } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";
import { limited, opened, sessionUnder } from "./limit-fixture.ts";

const args = { to: "grace@example.org" };
const observed: Observed = { hooks: ["mail-guard"] };
const ask = { type: "ask", call: "c_1", name: "mail__send_mail", digest: "d1", timeoutMs: 60_000, payload: args, observed } as const;
const asked = {
  call: "c_1",
  name: "mail__send_mail",
  server: "mail",
  tool: "send_mail",
  capability: "mutating",
  digest: "d1",
  timeoutMs: 60_000,
} as const;
const requested = CallRequested({ ...asked, rule: "default-allow", stage: "checking", hooks: ["mail-guard"], observed }, args);
const passed: Verdict = { gate: "hook", outcome: "pass", rule: "hook:mail-guard" };
const blocked: Verdict = { gate: "hook", outcome: "deny", rule: "hook:mail-guard", reason: "it says no" };
const consulted = (more: Partial<Extract<SessionCommand, { type: "consulted" }>> = {}) =>
  ({ type: "consulted", call: "c_1", verdicts: [passed], ...more }) as const;
const unsent = { call: "c_1", certainty: "not_applied" } as const;

describe("a call that hooks are asked about", () => {
  test("is recorded, and nothing is sent", () => {
    given(Session, opened)
      .as("session/s_1")
      .with(catalogueOf())
      .when(ask)
      .emits(requested)
      .causes({ type: "consult", call: "c_1", hooks: ["mail-guard"] });
  });

  test("is not asked about when another gate refuses it", () => {
    const catalogue = { ...catalogueOf(), policy: { ...DEFAULT_POLICY, egress: ["example.org"] } };
    given(Session, opened)
      .with(catalogue)
      .when({ ...ask, observed: { ...observed, hosts: ["evil.test"] } })
      .emitsTypes("call.refused");
  });

  test("is blocked when its condition cannot be judged", () => {
    const { events } = given(Session, opened)
      .with(catalogueOf())
      .when({ ...ask, observed: { ...observed, unjudged: ["mail-guard"] } });
    expect(events[0]).toMatchObject({ type: "call.refused", data: { code: "refused", rule: "hook:mail-guard" } });
  });

  test("is sent when they let it pass", () => {
    const { capability: _c, ...admitted } = asked;
    given(Session, opened, requested)
      .as("session/s_1")
      .with(catalogueOf())
      .when(consulted())
      .emits(CallChecked({ call: "c_1", verdicts: [passed] }), CallAdmitted(asked))
      .causes(
        { type: "rest", key: "hold:c_1" },
        { type: "rest", key: "queue:c_1" },
        {
          type: "tell",
          to: "server/mail",
          command: {
            type: "dispatch",
            session: "s_1",
            agent: "ada",
            scope: { profile: "default", client: "cli" },
            capability: "mutating",
            ...without(admitted),
          },
        },
      );
  });

  test("ends when one blocks it, and the agent hears why", () => {
    given(Session, opened, requested)
      .with(catalogueOf())
      .when(consulted({ verdicts: [blocked], payload: { reason: "not on Fridays" } }))
      .emits(
        CallChecked({ call: "c_1", verdicts: [blocked] }, { reason: "not on Fridays" }),
        CallAnswered({ ...unsent, code: "refused", rule: "hook:mail-guard" }, { reason: "not on Fridays" }),
      )
      .causes({ type: "reply", ...unsent, code: "refused", rule: "hook:mail-guard", reason: "not on Fridays" });
  });

  test("goes on with rewritten arguments and their digest", () => {
    const payload = { arguments: { to: "ada@example.org" } };
    given(Session, opened, requested)
      .with(catalogueOf())
      .when(consulted({ rewritten: { digest: "d2", observed: {} }, payload }))
      .emits(CallChecked({ call: "c_1", verdicts: [passed], digest: "d2" }, payload), CallAdmitted({ ...asked, digest: "d2" }));
  });

  test("passes the gates again, with what is known of the rewritten arguments", () => {
    const guards = [{ rule: "guard:path-prefix", reason: "/etc is not allowed" }];
    const { events } = given(Session, opened, requested)
      .with(catalogueOf())
      .when(consulted({ rewritten: { digest: "d2", observed: { guards } } }));
    expect(events.map(({ type }) => type)).toEqual(["call.checked", "call.answered"]);
    expect(events[1]).toMatchObject({
      data: { certainty: "not_applied", code: "invalid_arguments", rule: "guard:path-prefix" },
      payload: { reason: "/etc is not allowed" },
    });
  });

  test("is judged by the policy of the turn in which they answered", () => {
    const restricted = { ...DEFAULT_PROFILE, autonomy: "restricted" } as const;
    const stricter = { ...catalogueOf(), policy: { ...DEFAULT_POLICY, profiles: { default: restricted } } };
    const { events } = given(Session, opened, requested).with(stricter).when(consulted());
    expect(events[1]).toMatchObject({ type: "call.answered", data: { code: "refused", rule: "autonomy:restricted" } });
  });

  test("ends when the rewritten arguments cannot be accepted", () => {
    const refusal = { code: "invalid_arguments", rule: "required-keys" } as const;
    const { events } = given(Session, opened, requested)
      .with(catalogueOf())
      .when(consulted({ rewritten: { digest: "d2", observed: {} }, refusal, payload: { reason: "it needs a subject" } }));
    expect(events[1]).toMatchObject({ data: refusal, payload: { reason: "it needs a subject" } });
  });

  test.each([
    ["its client has left", { type: "leave", call: "c_1" }],
    ["its client cancels it", { type: "cancel", call: "c_1", by: "client" }],
  ] as const)("ends at once when %s, and a late answer changes nothing", (_, command) => {
    const { events } = given(Session, opened, requested).with(catalogueOf()).when(command, consulted());
    expect(events.map(({ type }) => type)).toEqual(["call.unclaimed", "call.answered"]);
    expect(events[1]).toMatchObject({ data: { ...unsent, code: "cancelled", rule: "cancelled", unclaimed: true } });
  });

  test("was not carried out when we were restarted meanwhile, which is announced", () => {
    const restarted = given(Session, opened, requested).whenRestarted();
    restarted.emits(
      CallUnclaimed({ call: "c_1", cancel: false }),
      CallAnswered(
        { ...unsent, code: "cancelled", rule: "interrupted", unclaimed: true },
        { reason: "interrupted by a restart before it was sent" },
      ),
    );
    expect(restarted.state.notices).toEqual(["c_1"]);
  });

  test("counts for limits when it is let through, and not before", () => {
    const session = sessionUnder(limited({ callsPerHour: 1 }));
    session.step(0, ask);
    session.step(1, { ...ask, call: "c_2" });
    expect(session.step(2, consulted()).map(({ type }) => type)).toEqual(["call.checked", "call.admitted"]);
    const late = session.step(3, { ...consulted(), call: "c_2" });
    expect(late[1]).toMatchObject({ type: "call.answered", data: { code: "rate_limited" } });
  });
});

describe("in a session that keeps an order", () => {
  const read = { ...ask, name: "mail__list", observed: {} } as const;
  const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

  test("a read waits for an earlier write that hooks are asked about", () => {
    const session = sessionUnder(limited({ orderedWrites: true }, { capabilities: { list: "read" } }));
    session.step(0, ask);
    expect(session.step(1, { ...read, call: "c_2" })[0]).toMatchObject({ type: "call.requested", data: { stage: "queued" } });
    expect(types(session.step(2, consulted()))).toEqual(["call.checked", "call.admitted"]);
    expect(types(session.step(3, { type: "wake", key: "order" }))).toEqual([]);
    expect(types(session.step(4, { type: "settle", call: "c_1", certainty: "answered" }))).toEqual(["call.answered", "call.admitted"]);
  });

  test("a write that was asked about waits for the one before it, and goes before the one after it", () => {
    const session = sessionUnder(limited({ orderedWrites: true }));
    session.step(0, { ...ask, call: "c_0", observed: {} });
    session.step(1, ask);
    session.step(2, { ...ask, call: "c_2", observed: {} });
    expect(session.step(3, consulted())[0]).toMatchObject({ type: "call.checked", data: { stage: "queued" } });
    const next = session.step(4, { type: "settle", call: "c_0", certainty: "answered" });
    expect(next[1]).toMatchObject({ type: "call.admitted", data: { call: "c_1" } });
    expect(next).toHaveLength(2);
  });

  test("a call that is blocked makes room for the next", () => {
    const session = sessionUnder(limited({ orderedWrites: true }));
    session.step(0, ask);
    session.step(1, { ...ask, call: "c_2", observed: {} });
    session.step(2, consulted({ verdicts: [blocked] }));
    expect(types(session.step(3, { type: "wake", key: "order" }))).toEqual(["call.admitted"]);
  });
});

function without<T extends { server: string }>({ server: _, ...rest }: T) {
  return rest;
}
