/** A repeat is held to the rules of its session and of its request, as they are when it would be sent. */
import { expect, test } from "bun:test";
import { DEFAULT_POLICY, DEFAULT_PROFILE, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import type { Policy } from "../../events/policy.ts";
import { text } from "../harness.ts";
import { NO_ZONE, world } from "./missing-fixture.ts";

const denying = { ...DEFAULT_PROFILE, policy: { ...OPEN_LAYER, deny: ["mail__look"] } };
const profiles = (more: Policy["profiles"]): Partial<Policy> => ({ profiles: { ...DEFAULT_POLICY.profiles, ...more } });

test.each([
  ["its profile denies the tool by now", { profiles: { default: denying } }, undefined, 1],
  ["the profile that its request names denies it by now", { profiles: { careful: denying } }, { profile: "careful" }, 1],
  ["its client may not have it any more", { client: true }, undefined, 1],
  ["what its request allows lost it from a group", { groups: { looks: ["mail__put"] } }, { allow: ["group:looks"] }, 1],
  ["nothing has changed", {}, { profile: "careful", allow: ["mail__look"] }, 2],
  ["another profile denies it by now", { profiles: { careful: denying } }, undefined, 2],
] as const)("when %s", async (_, change, narrow, legs) => {
  const it = await world();
  const groups = { looks: ["mail__look"] };
  const before = { global: { ...OPEN_LAYER, groups }, ...profiles({ careful: DEFAULT_PROFILE }) };
  await it.configure({}, "d2", before);
  const asking = { session: "s_1", agent: "ada", profile: "default", client: "test", ...(narrow && { narrow: narrow as never }) };
  const result = it.ask({ caller: asking, name: "mail__look", arguments: {} });
  await it.settle();
  const byClient = "client" in change ? { test: { allow: ["mail__put"] } } : {};
  const after = {
    global: { ...OPEN_LAYER, groups: "groups" in change ? { looks: [...change.groups.looks] } : groups, byClient },
    ...profiles({ careful: DEFAULT_PROFILE, ...("profiles" in change ? change.profiles : {}) }),
  };
  await it.configure({}, "d3", after);
  await it.answer(0, NO_ZONE);
  if (legs > 1) await it.answer(1, text("nothing is on"));
  expect((await result).certainty).toBe("answered");
  expect(it.sent()).toHaveLength(legs);
});

test("a tool that does several things is repeated for the operation that the call names", async () => {
  const it = await world();
  const operations = { look: { param: "day", capability: { today: "read" as const }, risk: {} } };
  const policies = { mail: { capabilities: { look: "mutating" as const }, operations } };
  await it.configure(policies, "d2");
  const result = it.ada.call("mail__look", { day: "today" });
  await it.settle();
  await it.answer(0, NO_ZONE);
  expect(it.sent()).toHaveLength(2);
  await it.configure(policies, "d3", { global: { ...OPEN_LAYER, deny: ["mail__look:today"] } });
  await it.answer(1, text("nothing is on"));
  expect((await result).isError).toBeUndefined();
  const denied = it.ada.call("mail__look", { day: "tomorrow" });
  await it.settle();
  await it.answer(2, NO_ZONE);
  expect((await denied).isError).toBe(true);
  expect(it.sent()).toHaveLength(3);
});

test.each([
  ["a rule denies", { rules: [{ name: "no-zones", tool: "mail__look", when: "has(args.timezone)", action: "deny", reason: "" }] }, 1],
  [
    "a rule wants a person to see",
    { rules: [{ name: "ask", tool: "mail__look", when: "has(args.timezone)", action: "ask", reason: "" }] },
    1,
  ],
  ["a label keeps in", { classification: { mode: "enforce", assets: [{ match: "..", label: "Place" }], actions: { Place: "block" } } }, 1],
  ["a rule only records", { rules: [{ name: "seen", tool: "mail__look", when: "has(args.timezone)", action: "warn", reason: "" }] }, 2],
] as const)("the argument that we would add is judged: %s", async (_, policy, legs) => {
  const it = await world();
  await it.configure({}, "d2", policy as unknown as Partial<Policy>);
  const result = it.ada.call("mail__look", {});
  await it.settle();
  await it.answer(0, NO_ZONE);
  if (legs > 1) await it.answer(1, text("nothing is on"));
  expect((await result).isError ?? false).toBe(legs === 1);
  expect(it.sent()).toHaveLength(legs);
});
