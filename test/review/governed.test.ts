/** Whatever the policy is and whatever people do: nothing is sent that was not admitted, and nobody is asked about what is refused anyway. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { DEFAULT_APPROVALS, DEFAULT_CALL_LIMITS, DEFAULT_POLICY, DEFAULT_PROFILE, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import type { Policy } from "../../events/policy.ts";
import { verifyDeep } from "../../src/audit/deep.ts";
import { fakeServer, harness, text, tool } from "../harness.ts";

const RUNS = Number(process.env["TOOLCRIB_RUNS"] ?? 100);
const NAMES = ["mail__act", "mail__look", "mail__burn"] as const;

const rule = fc.record({
  tool: fc.constantFrom("*", ...NAMES, "group:mcp:mail"),
  when: fc.constantFrom(undefined, "n > 1", "n == 1 || missing == 2"),
  action: fc.constantFrom("allow" as const, "ask" as const, "deny" as const, "warn" as const),
});
const policies = fc.record({
  autonomy: fc.constantFrom("restricted" as const, "supervised" as const, "supervised" as const, "autonomous" as const),
  rules: fc.array(rule, { maxLength: 3 }),
  deny: fc.subarray([...NAMES], { maxLength: 1 }),
  hardDeny: fc.subarray([...NAMES], { maxLength: 1 }),
  spin: fc.constantFrom(0, 2),
  callsPerHour: fc.constantFrom(0, 4),
  orderedWrites: fc.boolean(),
  approvers: fc.constantFrom<string[]>(["operator"], []),
});
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("ask" as const), name: fc.constantFrom(...NAMES), n: fc.nat(2) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("vote" as const), verdict: fc.constantFrom("approve", "approve", "deny", "revise") }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1_000, 20_000, 400_000) }) },
);

function policyOf(of: typeof policies extends fc.Arbitrary<infer T> ? T : never): Partial<Policy> {
  const limits = {
    ...DEFAULT_CALL_LIMITS,
    callsPerHour: of.callsPerHour,
    orderedWrites: of.orderedWrites,
    spin: { repetition: of.spin, window: 0 },
  };
  const approvals = { ...DEFAULT_APPROVALS, approvers: of.approvers };
  const policy = { ...OPEN_LAYER, deny: of.deny, hardDeny: of.hardDeny };
  return {
    rules: of.rules.map(({ when, ...one }, n) => ({ ...one, name: `r${n}`, reason: "", ...(when !== undefined && { when }) })),
    profiles: { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, autonomy: of.autonomy, limits, approvals, policy } },
  };
}

interface Said {
  readonly call: string;
  readonly stage?: string;
  readonly approval?: string;
  readonly digest?: string;
  readonly verdicts?: readonly { readonly outcome: string }[];
}

test(
  "in every random life under a policy",
  async () => {
    const seen = { sent: 0, refused: 0, asked: 0, granted: 0 };
    const everyLife = fc.asyncProperty(policies, fc.array(step, { minLength: 4, maxLength: 25 }), async (of, steps) => {
      const mail = fakeServer([tool("act"), tool("look"), tool("burn")]);
      const world = await harness({
        servers: { mail },
        policy: policyOf(of),
        policies: { mail: { capabilities: { look: "read", "*": "mutating" } } },
      });
      await world.settle();
      const { ask } = await world.session("s_1");
      const ends: Promise<unknown>[] = [];
      let votes = 0;
      for (const one of steps) {
        if (one.do === "ask") ends.push(ask(one.name, { n: one.n }));
        else if (one.do === "advance") await world.clock.advance(one.ms);
        else if (one.do === "answer") mail.calls.find(({ request }) => !request.signal?.aborted)?.answer(text("done"));
        else {
          const pending = world.views.approvals(0).find(({ status }) => status === "pending");
          const vote = { type: "vote", by: "operator:root", channel: "rest", verdict: one.verdict, payload: {} };
          if (pending) await world.runtime.enter("session/s_1", { ...vote, approval: pending.id });
          if (pending) votes++;
        }
        await world.settle();
      }
      for (const { answer } of mail.calls) answer(text("done"));
      await world.clock.advance(1_000_000);
      for (const { answer } of mail.calls) answer(text("done"));
      await world.settle();
      await Promise.all(ends);

      const admitted = new Set<string>();
      const refused = new Set<string>();
      const digests = new Map<string, string>();
      const used = new Set<string>();
      const issued = new Map<string, string>();
      for (const { type, data } of world.log.page({ after: 0, limit: 10_000 })) {
        const said = data as Said;
        if (type === "call.requested") {
          digests.set(said.call, said.digest ?? "");
          expect(said.verdicts?.some(({ outcome }) => outcome === "deny") ?? false).toBe(false);
          if (said.stage === undefined) admitted.add(said.call);
        }
        if (type === "call.admitted") admitted.add(said.call);
        if (type === "call.refused") refused.add(said.call);
        if (type === "approval.requested") {
          seen.asked++;
          expect([refused.has(said.call), admitted.has(said.call)]).toEqual([false, false]);
        }
        if (type === "grant.issued") issued.set(said.approval ?? "", said.digest ?? "");
        if (type === "grant.consumed") {
          seen.granted++;
          expect(used.has(said.approval ?? "")).toBe(false);
          used.add(said.approval ?? "");
          expect(issued.get(said.approval ?? "")).toBe(digests.get(said.call) ?? "none");
        }
        if (type === "call.dispatched") {
          seen.sent++;
          expect([admitted.has(said.call), refused.has(said.call)]).toEqual([true, false]);
        }
      }
      seen.refused += refused.size;
      expect(used.size).toBeLessThanOrEqual(votes);
      for (const { request } of mail.calls) expect([...of.deny, ...of.hardDeny]).not.toContain(`mail__${request.tool}` as never);
      if (of.autonomy === "restricted") expect(mail.calls.every(({ request }) => request.tool === "look")).toBe(true);
      expect(verifyDeep(world.log, "test").mismatches).toEqual([]);
      expect(world.failures).toEqual([]);
    });
    await fc.assert(everyLife, { numRuns: RUNS });
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0); // every side was met
  },
  60_000 + RUNS * 100,
);
