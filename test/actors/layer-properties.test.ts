/** What the layers of a policy never do, whatever is written in them. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { authorise } from "../../actors/policy/allow.ts";
import { OPEN_LAYER } from "../../actors/policy/defaults.ts";
import { NOTHING_SHOWN, shownOffers } from "../../actors/shown.ts";
import type { Scope } from "../../events/policy.ts";
import { allowed, type Layer, MANAGEMENT, NAMES, type World, world } from "./layer-fixture.ts";

const entry = fc.constantFrom(
  "mail__send",
  "MAIL__list",
  "web_fetch",
  "exec",
  "call_status",
  "mcp_invoke_tool",
  "group:web",
  "group:mcp",
  "group:mcp:mail",
  "group:mine",
);
const list = fc.array(entry, { maxLength: 3 });
const set = fc.option(fc.constantFrom("full" as const, "coding" as const, "messaging" as const, "minimal" as const), { nil: undefined });
const layer = fc
  .record({
    profile: set,
    allow: list,
    deny: list,
    alsoAllow: list,
    hardDeny: list,
    denyCapabilities: fc.subarray(["read" as const, "mutating" as const, "mcp" as const], { maxLength: 1 }),
    client: fc.record({ profile: set, allow: list }),
  })
  .map(({ profile, client, ...lists }): Layer => {
    const of = <T extends object>(more: T, name: typeof profile) => (name === undefined ? more : { ...more, profile: name });
    return of(
      { ...lists, groups: { mine: ["files__write", "group:web"] }, byClient: { zed: of({ allow: client.allow }, client.profile) } },
      profile,
    );
  });
const autonomy = fc.constantFrom("restricted" as const, "supervised" as const, "autonomous" as const);
const narrow = fc.record({ profile: fc.constantFrom("default", "other", "restricted", "unknown"), allow: list }, { requiredKeys: [] });
const policies = fc.record({ global: layer, agent: layer, other: layer, autonomy, narrow });

describe("whatever the policy", () => {
  const each = (check: (catalogue: World, narrow: Scope["narrow"]) => void) =>
    fc.assert(
      fc.property(policies, ({ global, agent, other, autonomy: how, narrow: asked }) => {
        const given = { autonomy: how, policy: { ...OPEN_LAYER, ...other } };
        check(world(global, agent, { other: given }), asked);
      }),
      { numRuns: 300 },
    );
  const subset = (some: readonly string[], all: readonly string[]) => expect(some.filter((name) => !all.includes(name))).toEqual([]);

  test("no request and no client gets more than the bare token", () => {
    each((catalogue, asked) => {
      for (const profile of ["default", "other", "supervised", "restricted"]) {
        const bare = allowed(catalogue, { profile });
        subset(allowed(catalogue, { profile, client: "zed" }), bare);
        subset(allowed(catalogue, { profile, narrow: asked }), bare);
        subset(allowed(catalogue, { profile, client: "zed", narrow: asked }), bare);
      }
    });
  });

  test("what is denied and not back in is gone, what is denied hard is gone in any case", () => {
    each((catalogue) => {
      const { global } = catalogue.policy;
      const agent = catalogue.policy.profiles["default"]?.policy ?? OPEN_LAYER;
      const left = allowed(catalogue);
      const only = (entries: readonly string[]) =>
        allowed(world({ allow: [...entries], groups: global.groups })).filter(
          (name) => entries.length > 0 && !MANAGEMENT.includes(name) && name !== "mcp_find_tools",
        );
      const back = only([...global.alsoAllow, ...agent.alsoAllow]);
      for (const name of only([...global.hardDeny, ...agent.hardDeny])) expect(left).not.toContain(name);
      for (const name of only([...global.deny, ...agent.deny])) if (!back.includes(name)) expect(left).not.toContain(name);
    });
  });

  test("what is listed may be called, and in eager all that may be called is listed", () => {
    each((catalogue, asked) => {
      for (const scope of [{ profile: "default" }, { profile: "other", client: "zed" }, { profile: "default", narrow: asked }]) {
        const listed = shownOffers(catalogue, scope, NOTHING_SHOWN).map(({ name }) => name);
        expect(listed.toSorted()).toEqual(NAMES.filter((name) => authorise(catalogue, name, scope).allowed).toSorted());
      }
    });
  });
});
