/** Calls that have waited are judged once more by what was observed of them, and never by what they bring in themselves. */
import { describe, expect, test } from "bun:test";
import type { Catalogue } from "../../actors/catalogue.ts";
import type { Label, Observed, Policy } from "../../events/policy.ts";
import { NOW } from "../given.ts";
import { supervised } from "./approval-fixture.ts";
import { askOf, limited, sessionUnder } from "./limit-fixture.ts";

const WRITE = "mail__send_mail";
const READ = "mail__list";
const ordered = (labels: Record<string, Label[]> = {}) =>
  limited({ orderedWrites: true }, { capabilities: { list: "read", send_mail: "mutating" }, labels });
const under = (catalogue: Catalogue, policy: Partial<Policy>): Catalogue => ({
  ...catalogue,
  policy: { ...catalogue.policy, ...policy },
});
const answered = (call: string) => ({ type: "settle", call, certainty: "answered" }) as const;
const ASK = { name: "mail-first", tool: WRITE, action: "ask", reason: "" } as const;

const observed: Observed = {
  rules: [{ name: "outside" }],
  hosts: ["evil.test"],
  labels: ["PII"],
};
const rule = { name: "outside", tool: WRITE, when: "args.to != ''", action: "deny", reason: "" } as const;
const tightened: readonly [string, Partial<Policy>, string][] = [
  ["a rule", { rules: [rule] }, "outside"],
  ["a list of hosts", { egress: ["example.org"] }, "egress"],
  ["a label", { classification: { mode: "enforce", assets: [], actions: { PII: "block" } } }, "label:PII"],
];

describe("a call whose turn comes is refused by what was observed of it, when meanwhile came", () => {
  const refused = (rule: string) => ({ type: "call.answered", data: { call: "c_2", code: "refused", rule } });

  test.each(tightened)("%s", (_, policy, why) => {
    const catalogue = ordered();
    const session = sessionUnder(catalogue);
    session.step(NOW, askOf("c_1", "d1", WRITE));
    expect(session.step(NOW, { ...askOf("c_2", "d2", WRITE), observed })).toMatchObject([{ data: { stage: "queued", observed } }]);
    expect(session.step(NOW, answered("c_1"), under(catalogue, policy))[1]).toMatchObject(refused(why));
  });

  test.each(tightened)("%s, and hooks were asked about it first", (_, policy, why) => {
    const catalogue = ordered();
    const session = sessionUnder(catalogue);
    session.step(NOW, askOf("c_1", "d1", WRITE));
    session.step(NOW, { ...askOf("c_2", "d2", WRITE), observed: { ...observed, hooks: ["mail-guard"] } });
    expect(session.step(NOW, { type: "consulted", call: "c_2", verdicts: [] })).toMatchObject([{ data: { stage: "queued" } }]);
    expect(session.step(NOW, answered("c_1"), under(catalogue, policy))[1]).toMatchObject(refused(why));
  });

  test.each(tightened)("%s, and people have approved it", (_, policy, why) => {
    const catalogue = supervised({}, { orderedWrites: true });
    const session = sessionUnder(catalogue);
    const approve = (call: string, approval: string) => {
      session.step(NOW, { ...askOf(call, call, WRITE), approvalId: approval, observed });
      session.step(NOW, { type: "vote", approval, by: "operator:root", channel: "rest", verdict: "approve" });
      return session.step(NOW, { type: "conclude", call, approval, outcome: "approved" });
    };
    approve("c_1", "a_1");
    expect(approve("c_2", "a_2")).toMatchObject([{ type: "grant.consumed", data: { call: "c_2", deadline: expect.any(Number) } }]);
    expect(session.step(NOW, answered("c_1"), under(catalogue, policy))[1]).toMatchObject(refused(why));
  });

  test("a rule that wants a person whom nobody has asked", () => {
    const catalogue = ordered();
    const session = sessionUnder(catalogue);
    session.step(NOW, askOf("c_1", "d1", WRITE));
    session.step(NOW, askOf("c_2", "d2", WRITE));
    expect(session.step(NOW, answered("c_1"), under(catalogue, { rules: [ASK] }))[1]).toMatchObject(refused("mail-first"));
  });
});

test("a call that people have approved goes out when its turn comes, for the reasons that they saw", () => {
  const catalogue = under(ordered(), { rules: [ASK] });
  const session = sessionUnder(ordered());
  session.step(NOW, askOf("c_1", "d1", WRITE));
  session.step(NOW, { ...askOf("c_2", "d2", WRITE), approvalId: "a_2" }, catalogue);
  session.step(NOW, { type: "vote", approval: "a_2", by: "operator:root", channel: "rest", verdict: "approve" }, catalogue);
  session.step(NOW, { type: "conclude", call: "c_2", approval: "a_2", outcome: "approved" }, catalogue);
  expect(session.step(NOW, answered("c_1"), catalogue)[1]).toMatchObject({ type: "call.admitted", data: { call: "c_2" } });
});

describe("what a call brings into its session", () => {
  const all: Record<string, Label[]> = { send_mail: ["untrusted", "private", "external"] };
  const both = { untrusted: true, private: true } as const;

  test("does not count against itself when people have approved it, and counts once it is sent", () => {
    const catalogue = { ...supervised() };
    const mail = catalogue.servers.get("mail");
    if (!mail) throw new Error("no mail");
    const labelled = { ...catalogue, servers: new Map([["mail", { ...mail, policy: { ...mail.policy, labels: all } }]]) };
    const session = sessionUnder(labelled);
    session.step(NOW, { ...askOf("c_1", "d1", WRITE), approvalId: "a_1" });
    expect(session.state.taint).toBeUndefined();
    session.step(NOW, { type: "vote", approval: "a_1", by: "operator:root", channel: "rest", verdict: "approve" });
    const sent = session.step(NOW, { type: "conclude", call: "c_1", approval: "a_1", outcome: "approved" });
    expect(sent.map(({ type }) => type)).toEqual(["grant.consumed", "call.admitted"]);
    expect(session.state.taint).toEqual(both);
  });

  test("does not count against itself when it waits for its turn", () => {
    const session = sessionUnder(limited({ orderedWrites: true }, { labels: all }));
    session.step(NOW, askOf("c_1", "d1", READ));
    expect(session.step(NOW, askOf("c_2", "d2", WRITE))).toMatchObject([{ data: { stage: "queued" } }]);
    expect(session.step(NOW, answered("c_1"))[1]).toMatchObject({ type: "call.admitted", data: { call: "c_2" } });
    expect(session.state.taint).toEqual(both);
  });

  test("never counts when it is refused", () => {
    const session = sessionUnder(ordered(all));
    session.step(NOW, { ...askOf("c_1", "d1", WRITE), observed: { hooks: ["mail-guard"] } });
    session.step(NOW, { type: "consulted", call: "c_1", verdicts: [{ gate: "hook", outcome: "deny", rule: "hook:mail-guard" }] });
    expect(session.state.taint).toBeUndefined();
  });

  test("counts for the calls behind it, although it is not sent yet", () => {
    const labels: Record<string, Label[]> = { list: ["untrusted", "private"], send_mail: ["external"] };
    const session = sessionUnder(ordered(labels));
    session.step(NOW, askOf("w_1", "d1", WRITE));
    session.step(NOW, askOf("r_1", "d2", READ));
    expect(session.state.taint).toBeUndefined();
    const behind = session.step(NOW, { ...askOf("w_2", "d3", WRITE), approvalId: "a_1" });
    expect(behind).toMatchObject([{ data: { call: "w_2", stage: "asking" } }, { type: "approval.requested" }]);
    session.step(NOW, answered("w_1"));
    expect(session.state.taint).toEqual(both);
  });
});
