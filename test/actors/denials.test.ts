import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { kindOf, DENIALS as LEDGER, REGISTRY } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import { type AnyActor, evolve } from "../../actors/define.ts";
import { Denials, type DenialsState, deniedTimes } from "../../actors/denials.ts";
import { deniable } from "../../actors/gates/denials.ts";
import { Session } from "../../actors/session.ts";
import type { SessionCommand, SessionState } from "../../actors/session-commands.ts";
import { GrantIssued } from "../../events/approval.ts";
import { DenialCounted, DenialsForgiven } from "../../events/limits.ts";
import { SessionOpened } from "../../events/session.ts";
import { deniedSoFar } from "../../src/calls/denied.ts";
import { actorKinds } from "../../src/runtime/actors.ts";
import { settle } from "../../src/runtime/settle.ts";
import { given, NOW } from "../given.ts";
import { catalogueOf } from "./fixtures.ts";
import { askOf, limited } from "./limit-fixture.ts";

const DENIALS = { count: 3, windowMs: 600_000 };
const strictly = (catalogue: Catalogue): Catalogue => ({
  ...catalogue,
  policy: { ...catalogue.policy, rules: [{ name: "no", tool: "*", action: "deny", reason: "" }] },
});
const denying = strictly(limited({ denials: DENIALS }));
const open = limited({ denials: DENIALS });

/** Sessions of any agents and the ledger, as turns move them. */
function world() {
  const states = new Map<string, unknown>();
  const actorAt = (address: string): AnyActor => actorKinds[kindOf(address)] ?? Session;
  const stateOf = (address: string) => states.get(address) ?? actorAt(address).initialState;
  const enter = (to: string, command: { type: string }, now = NOW) => {
    const settled = settle({ actorAt, stateOf }, { to, command, now, id: (prefix) => `${prefix}_1` });
    for (const [address, state] of settled.states) states.set(address, state);
    return settled.events;
  };
  return {
    enter,
    ledger: () => stateOf(LEDGER) as DenialsState,
    change(session: string, more: (state: SessionState) => SessionState) {
      states.set(session, more(stateOf(session) as SessionState));
    },
    /** The rule by which this session's call is let through or refused. */
    ask(
      catalogue: Catalogue,
      now = NOW,
      { session = "session/s_1", agent = "ada", name = "mail__list", more = {} as Partial<SessionCommand> } = {},
    ) {
      states.set(REGISTRY, catalogue);
      if (!states.has(session))
        enter(session, { type: "open", ...SessionOpened({ agent, name: session, client: "cli", era: "legacy", profile: "default" }).data });
      const ask = { ...askOf("c_1", "d1", name), ...more };
      const [event] = enter(session, { ...ask, ...deniedSoFar({ stateOf }, { agent, ...ask }, now) }, now);
      return (event?.data as { rule?: string } | undefined)?.rule;
    },
  };
}
/** Denied so many times, a second apart, the last time at NOW. */
function denied(times: number, catalogue = denying) {
  const made = world();
  for (let time = times - 1; time >= 0; time--) made.ask(catalogue, NOW - time * 1000);
  return made;
}

describe("a tool that was denied again and again", () => {
  test("is refused at once, whatever the policy says by now", () => {
    expect(denied(2).ask(open)).toBe("default-allow");
    expect(denied(3).ask(open)).toBe("denial-limit");
  });

  test("is refused in every session of the agent, also in a new one, and in no other agent's", () => {
    const three = world();
    for (const session of ["session/s_1", "session/s_2", "session/s_3"]) expect(three.ask(denying, NOW, { session })).toBe("no");
    expect(three.ask(open, NOW, { session: "session/s_4" })).toBe("denial-limit");
    expect(three.ask(open, NOW, { session: "session/s_5", agent: "bob" })).toBe("default-allow");
  });

  test("may be asked for again when the oldest denial has left the window; what was refused at once did not prolong it", () => {
    const made = denied(3);
    for (let time = 0; time < 10; time++) expect(made.ask(denying, NOW + 1)).toBe("denial-limit");
    expect(made.ask(open, NOW - 2000 + DENIALS.windowMs - 1)).toBe("denial-limit");
    expect(made.ask(open, NOW - 2000 + DENIALS.windowMs)).toBe("default-allow");
  });

  test("does not keep its agent from other tools, nor from another server's tool that has its name now", () => {
    expect(denied(3).ask(open, NOW, { name: "mail__send_mail" })).toBe("default-allow");
    const { servers, ...rest } = open;
    const others = new Map([...servers].map(([name, entry]) => [name, { ...entry, id: "another" }]));
    expect(denied(3).ask({ ...rest, servers: others })).toBe("default-allow");
  });

  test("does not keep a call out that a person has approved", () => {
    const made = denied(3);
    const serverId = open.servers.get("mail")?.id ?? "";
    const grant = GrantIssued({
      approval: "a_1",
      name: "mail__list",
      serverId,
      digest: "d1",
      rules: [],
      issuedAt: NOW,
      expiresAt: NOW + 1,
    });
    made.change("session/s_1", (state) => evolve(Session, state, grant));
    expect(made.ask(open)).toBe("default-allow");
    expect(made.ask(open, NOW + 1)).toBe("denial-limit");
  });

  test("is free again when its denials are forgiven", () => {
    const made = denied(3);
    made.enter(LEDGER, { type: "forgive", agent: "ada", by: "operator:grace" } as { type: string });
    expect(made.ask(open)).toBe("default-allow");
  });

  test("is a matter of policy: limits and faults of the arguments do not count", () => {
    const made = world();
    const full = limited({ denials: DENIALS, callsPerHour: 1 });
    made.ask(full);
    for (let time = 0; time < 5; time++) expect(made.ask(full)).toBe("callsPerHour:1");
    const refusal = { code: "invalid_arguments", rule: "bounds" } as const;
    for (let time = 0; time < 5; time++) made.ask(full, NOW, { more: { refusal } });
    expect(made.ledger()).toEqual({});
  });

  test("is off at zero", () => {
    expect(denied(5, strictly(limited({ denials: { count: 0, windowMs: 600_000 } }))).ledger()).toEqual({});
  });

  test("costs a call that nobody denies nothing", () => {
    const made = world();
    expect(made.ask(open)).toBe("default-allow");
    expect(made.ledger()).toEqual({});
  });
});

const one = { server: "s", tool: "mail__list" };
const counted = DenialCounted({ agent: "ada", ...one, at: NOW, until: NOW + 10 });
const forgive = { type: "forgive", agent: "ada", by: "operator:grace" } as const;

describe("the ledger of denials", () => {
  test("forgives what still counts, once, and no other agent's", () => {
    given(Denials, counted)
      .when(forgive, forgive)
      .emits(DenialsForgiven({ by: "operator:grace", agent: "ada" }));
    given(Denials, counted)
      .now(NOW + 10)
      .when(forgive)
      .emits();
    given(Denials, counted)
      .when({ ...forgive, agent: "bob" }, { ...forgive, agent: "toString" })
      .emits();
  });

  test("counts operations that nobody has named as one, however many an agent makes up", () => {
    const operations = { list: { param: "op", capability: { get: "read" }, risk: { Drop: "high" } } } as const;
    const server = catalogueOf({ operations }).servers.get("mail");
    const toolOf = (operation?: string) =>
      server && deniable({ name: "mail__list", server, offer: { tool: "list" } }, { ...(operation !== undefined && { operation }) }).tool;
    expect([toolOf(), toolOf(" GET"), toolOf("drop"), toolOf("x1"), toolOf("x2")]).toEqual([
      "mail__list",
      "mail__list:get",
      "mail__list:drop",
      "mail__list:*",
      "mail__list:*",
    ]);
  });

  test("remembers in little space, and of each agent the newest", () => {
    const denial = fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 250 }), fc.nat(50));
    fc.assert(
      fc.property(fc.array(denial, { maxLength: 400 }), (denials) => {
        let state = Denials.initialState;
        let now = NOW;
        for (const [agent, tool, gap] of denials) {
          now += gap;
          const at = { agent: `a${agent % 3}`, server: "s", tool: `t${tool}` };
          state = evolve(Denials, state, DenialCounted({ ...at, at: now, until: now + 10_000 }));
          expect(deniedTimes(state, at.agent, at, now)).toBeGreaterThan(0);
        }
        for (const tools of Object.values(state)) expect(Object.keys(tools).length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 20 },
    );
    let state = Denials.initialState;
    for (let agent = 0; agent < 1100; agent++)
      state = evolve(Denials, state, DenialCounted({ agent: `a${agent}`, ...one, at: NOW, until: NOW + 10 }));
    expect(Object.keys(state).length).toBe(1000);
    for (let time = 0; time < 200; time++) state = evolve(Denials, state, DenialCounted({ agent: "a", ...one, at: NOW, until: NOW + 10 }));
    expect(deniedTimes(state, "a", one, NOW)).toBe(100);
    expect(evolve(Denials, state, DenialCounted({ agent: "z", ...one, at: NOW + 10, until: NOW + 20 }))).toEqual({
      z: { "s\nmail__list": [NOW + 20] },
    });
  });
});
