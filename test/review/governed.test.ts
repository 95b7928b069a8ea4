/** Whatever the policy is, whatever requests bring, whatever people do and whenever we die: nothing is sent that was not admitted, and nobody is asked about what is refused anyway. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Policy } from "../../events/policy.ts";
import { verifyDeep } from "../../src/audit/deep.ts";
import { metWherever } from "../met.ts";
import { type Drawn, plans, policies, type Step } from "./governed-draws.ts";
import { type GovernedLife, governedLife } from "./governed-life.ts";

const RUNS = Number(process.env["TOOLCRIB_RUNS"] ?? 100);

interface Said {
  readonly call: string;
  readonly name?: string;
  readonly policy?: Policy;
  readonly stage?: string;
  readonly tool?: string;
  readonly approval?: string;
  readonly digest?: string;
  readonly verdicts?: readonly { readonly outcome: string }[];
}
interface Seen {
  sent: number;
  refused: number;
  asked: number;
  granted: number;
  narrowed: number;
  restarts: number;
}

/** What the log says of every call, in its order. */
function readLog({ log, votes }: GovernedLife, of: Drawn, seen: Seen): ReadonlySet<string> {
  const admitted = new Set<string>();
  const refused = new Set<string>();
  const answered = new Set<string>();
  const digests = new Map<string, string>();
  const used = new Set<string>();
  const granted = new Set<string>();
  const issued = new Map<string, string>();
  /** What was denied or wants a person since, by name. */
  const tightened = new Map<string, Set<string>>();
  let hasRead = false;
  const admit = ({ call, tool, name = "" }: Said) => {
    expect(answered.has(call)).toBe(false);
    const later = tightened.get(name);
    if (later) expect(later.has("deny")).toBe(false);
    if (later) expect(granted.has(call)).toBe(true);
    if (of.labelled && hasRead && tool === "act") expect(granted.has(call)).toBe(true);
    if (tool === "look") hasRead = true;
    admitted.add(call);
  };
  const events = log.page({ after: 0, limit: 10_000 });
  for (const [index, { type, data }] of events.entries()) {
    const said = data as Said;
    if (type === "call.requested") {
      digests.set(said.call, said.digest ?? "");
      expect(said.verdicts?.some(({ outcome }) => outcome === "deny") ?? false).toBe(false);
      const next = events[index + 1]; // an approval that it uses at once
      if (next?.type === "grant.consumed" && (next.data as Said).call === said.call) granted.add(said.call);
      if (said.stage === undefined) admit(said);
    }
    if (type === "call.admitted") admit(said);
    if (type === "config.applied")
      for (const { name, tool, action } of said.policy?.rules ?? [])
        if (name.startsWith("tight")) tightened.set(tool, (tightened.get(tool) ?? new Set()).add(action));
    if (type === "call.refused") refused.add(said.call);
    if (type === "call.answered") answered.add(said.call);
    if (type === "approval.requested") {
      seen.asked++;
      expect([refused.has(said.call), admitted.has(said.call)]).toEqual([false, false]);
    }
    if (type === "grant.issued") issued.set(said.approval ?? "", said.digest ?? "");
    if (type === "grant.consumed") {
      seen.granted++;
      granted.add(said.call);
      expect(used.has(said.approval ?? "")).toBe(false);
      used.add(said.approval ?? "");
      expect(issued.get(said.approval ?? "")).toBe(digests.get(said.call) ?? "none");
    }
    if (type === "call.dispatched") expect([admitted.has(said.call), refused.has(said.call)]).toEqual([true, false]);
  }
  seen.refused += refused.size;
  expect(used.size).toBeLessThanOrEqual(votes);
  for (const call of [...digests.keys()]) expect(answered.has(call)).toBe(true);
  return granted;
}

test(
  "in every random life under a policy",
  async () => {
    const lived = async ([of, plan]: readonly [Drawn, readonly Step[]]) => {
      const seen: Seen = { sent: 0, refused: 0, asked: 0, granted: 0, narrowed: 0, restarts: 0 };
      const life = await governedLife(of);
      for (const one of plan) await life.take(one);
      await life.finish();
      const granted = readLog(life, of, seen);
      const mayPass = of.rules.some(({ action }) => action === "allow");
      for (const { call, tool, n, narrow } of life.sent) {
        seen.sent++;
        expect([...of.deny, ...of.hardDeny]).not.toContain(`mail__${tool}` as never);
        if (of.autonomy === "restricted") expect(tool).toBe("look");
        if (of.autonomy === "supervised" && tool !== "look" && !mayPass) expect(granted.has(call)).toBe(true);
        if (of.hooked) expect(n).not.toBe(0);
        if (!narrow) continue;
        seen.narrowed++;
        if (narrow.allow) expect(narrow.allow).toContain(`mail__${tool}`);
        if (narrow.profile === "restricted" || narrow.profile === "nowhere") expect(tool).toBe("look");
        if (narrow.profile === "careful") expect(tool).not.toBe("burn");
        if (narrow.profile === "careful" && tool === "act" && !mayPass) expect(granted.has(call)).toBe(true);
      }
      expect(new Set(life.sent.map(({ call }) => call)).size).toBe(life.sent.length);
      seen.restarts += life.restarts;
      expect(verifyDeep(life.log, "test").mismatches).toEqual([]);
      expect(life.failures).toEqual([]);
      return seen;
    };
    const met = await metWherever(fc.tuple(policies, plans), lived, { runs: RUNS, counted: 40 });
    for (const side of ["sent", "refused", "asked", "granted", "narrowed", "restarts"] as const)
      expect({ side, isMet: met.some((seen) => seen[side] > 0) }).toEqual({ side, isMet: true });
  },
  60_000 + RUNS * 200,
);
