/** Whose word counts on what a tool may do and how bad it can be. */
import { expect, test } from "bun:test";
import { type Offer, OPEN_POLICY } from "../../actors/catalogue.ts";
import { capabilityOf, ofOperation, riskOf } from "../../actors/policy/capability.ts";
import type { Capability } from "../../events/call.ts";
import type { Risk } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { offerOf } from "./shown-fixture.ts";

const cases: [string, Partial<ServerPolicy>, Partial<Offer>, Capability, Risk][] = [
  ["nothing said", {}, {}, "mutating", "medium"],
  ["a stranger says it reads", {}, { readOnlyHint: true }, "mutating", "medium"],
  ["a stranger says it may be repeated", {}, { idempotentHint: true }, "mutating", "medium"],
  ["a stranger says it destroys", {}, { destructiveHint: true }, "mutating", "high"],
  ["a trusted server says it reads", { trusted: true }, { readOnlyHint: true }, "read", "low"],
  ["a trusted server says it may be repeated", { trusted: true }, { idempotentHint: true }, "idempotent", "medium"],
  ["a trusted server says it reads and destroys", { trusted: true }, { readOnlyHint: true, destructiveHint: true }, "read", "high"],
  [
    "the operator against a trusted server",
    { trusted: true, capabilities: { t: "mutating" } },
    { readOnlyHint: true },
    "mutating",
    "medium",
  ],
  ["the operator for a stranger", { capabilities: { t: "read" } }, { destructiveHint: true }, "read", "high"],
  ["the operator's word on the rest", { capabilities: { "*": "read" } }, {}, "read", "low"],
  ["the exact name before the rest", { capabilities: { "*": "read", t: "idempotent" } }, {}, "idempotent", "medium"],
  ["the operator's risk before the hint", { risks: { t: "trivial" } }, { destructiveHint: true }, "mutating", "trivial"],
  ["the operator's risk of the rest", { risks: { "*": "critical" } }, {}, "mutating", "critical"],
];
test.each(cases)("%s", (_, policy, hints, capability, risk) => {
  const offer = offerOf("mail", hints);
  const found = capabilityOf({ ...OPEN_POLICY, ...policy }, offer);
  expect([found, riskOf({ ...OPEN_POLICY, ...policy }, offer, found)]).toEqual([capability, risk]);
});

test("an operation has its own, else that of its tool; only the exact name makes it harmless, any spelling makes it bad", () => {
  const operations = { t: { param: "do", capability: { list: "read" as const }, risk: { wipe: "critical" as const } } };
  const of = (operation: string | undefined) => {
    const { capability, risk } = ofOperation({ ...OPEN_POLICY, operations }, offerOf("mail", {}), operation);
    return [capability, risk];
  };
  expect(of("list")).toEqual(["read", "low"]);
  expect(of("LIST")).toEqual(["mutating", "medium"]);
  expect(of("wipe")).toEqual(["mutating", "critical"]);
  expect(of(" Wipe ")).toEqual(["mutating", "critical"]);
  expect(of(undefined)).toEqual(["mutating", "medium"]);
});
