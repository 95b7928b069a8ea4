/** Which tools a session sees, and in which order: by mode, by what it found and by what it called. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Catalogue, DEFAULT_SURFACE } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { activation, activationByCall, NOTHING_SHOWN, type Shown, shownOffers, withActivated, withRecent } from "../../actors/shown.ts";
import { catalogueOf, offerOf, type Servers } from "./shown-fixture.ts";

const list = (catalogue: Catalogue, shown: Shown = NOTHING_SHOWN, profile = "default") =>
  shownOffers(catalogue, { profile }, shown).map(({ name }) => name);
const typed = (catalogue: Catalogue, shown?: Shown) => list(catalogue, shown).filter((name) => name.includes("__"));
const found = (catalogue: Catalogue, shown: Shown, ...names: string[]): Shown => {
  const offers = names.map((name) => catalogue.names.get(name) ?? offerOf("x", name));
  const joins = activation(catalogue, { profile: "default" }, shown, offers);
  return joins ? withActivated(shown, joins.tools, joins.drops) : shown;
};
const called = (catalogue: Catalogue, shown: Shown, name: string): Shown => {
  const offer = catalogue.names.get(name);
  if (!offer) throw new Error(`no tool ${name}`);
  const joins = activationByCall(catalogue, { profile: "default" }, shown, offer);
  return withRecent(joins ? withActivated(shown, joins.tools, joins.drops) : shown, offer.server);
};
const many = (count: number, prefix = "t") => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

const THREE: Servers = { files: ["read", "write"], mail: ["send", { tool: "letter", kind: "prompt" }], web: ["get"] };
const NARROW = { listAllUpTo: 0 } as const;

describe("the mode", () => {
  test.each([
    ["off", ["mcp_invoke_tool"]],
    ["eager", ["mcp_invoke_tool", "files__read", "files__write", "mail__send", "mail__letter-prompt", "web__get"]],
    ["lazy", ["mcp_find_tools", "mcp_invoke_tool"]],
    ["pinned", ["mcp_find_tools", "mcp_invoke_tool"]],
  ] as const)("%s lists what it should at the start", (wrapperMode, expected) => {
    expect(list(catalogueOf(THREE, { ...NARROW, wrapperMode }))).toEqual([...expected]);
  });

  test("of a profile replaces the general one", () => {
    const catalogue = catalogueOf(THREE, { ...NARROW, profileModes: { reader: "off" } });
    expect(list(catalogue, NOTHING_SHOWN, "reader")).toEqual(["mcp_invoke_tool"]);
    expect(list(catalogue, NOTHING_SHOWN, "constructor")).toEqual(["mcp_find_tools", "mcp_invoke_tool"]);
  });

  test("off has no typed names, but management tools reach everything", () => {
    const catalogue = catalogueOf(THREE, { wrapperMode: "off" });
    expect(authorise(catalogue, "mail__send", { profile: "default" })).toMatchObject({ allowed: false, code: "tool_not_found" });
    expect(authorise(catalogue, "mail__send", { profile: "default", via: "invoke_tool" }).allowed).toBe(true);
    expect(authorise(catalogue, "mcp_find_tools", { profile: "default" })).toMatchObject({ allowed: false, code: "tool_not_found" });
  });

  test("eager and off have nothing to find", () => {
    expect(authorise(catalogueOf(THREE, { wrapperMode: "eager" }), "mcp_find_tools", { profile: "default" }).allowed).toBe(false);
  });
});

describe("few tools", () => {
  test("are all listed from the start, in the catalogue's order, and nothing is activated", () => {
    const catalogue = catalogueOf(THREE, { listAllUpTo: 5 });
    expect(typed(catalogue)).toEqual(["files__read", "files__write", "mail__send", "mail__letter-prompt", "web__get"]);
    expect(activation(catalogue, { profile: "default" }, NOTHING_SHOWN, [...catalogue.names.values()])).toBeUndefined();
  });

  test("are one too many: the list begins empty", () => {
    expect(typed(catalogueOf(THREE, { listAllUpTo: 4 }))).toEqual([]);
  });

  test("no list is longer than maxToolsPerRequest", () => {
    expect(list(catalogueOf({ big: many(300) }, { wrapperMode: "eager" }))).toHaveLength(DEFAULT_SURFACE.maxToolsPerRequest);
  });
});

describe("activation", () => {
  const catalogue = catalogueOf({ big: many(60), mail: ["send", { tool: "letter", kind: "prompt" }] }, { maxActivatedTools: 4 });

  test("keeps the order of first activation; a tool that is found again keeps its place", () => {
    const shown = found(catalogue, found(catalogue, NOTHING_SHOWN, "big__t3", "big__t1"), "big__t2", "big__t3");
    expect(typed(catalogue, shown)).toEqual(["big__t3", "big__t1", "big__t2"]);
  });

  test("drops the oldest beyond the limit", () => {
    const shown = found(catalogue, found(catalogue, NOTHING_SHOWN, "big__t0", "big__t1", "big__t2"), "big__t3", "big__t4");
    expect(typed(catalogue, shown)).toEqual(["big__t1", "big__t2", "big__t3", "big__t4"]);
  });

  test("by a call of a name that is not listed", () => {
    const shown = called(catalogue, NOTHING_SHOWN, "mail__letter-prompt");
    expect(typed(catalogue, shown)[0]).toBe("mail__letter-prompt");
  });

  test("ends when the definition changes, and may begin again with the new one", () => {
    const shown = found(catalogue, NOTHING_SHOWN, "big__t0", "big__t1");
    const changed = catalogueOf({ big: [{ tool: "t0", hash: "new" }, ...many(60).slice(1)] }, { maxActivatedTools: 4 });
    expect(typed(changed, shown)).toEqual(["big__t1"]);
    expect(typed(changed, found(changed, shown, "big__t0"))).toEqual(["big__t1", "big__t0"]);
  });

  test("never holds what the session may not call", () => {
    const denied = catalogueOf({ big: many(60) }, { maxActivatedTools: 4 }, { big: { deniedTools: ["t0"] } });
    expect(typed(denied, found(catalogue, NOTHING_SHOWN, "big__t0", "big__t1"))).toEqual(["big__t1"]);
  });
});

describe("pinned servers", () => {
  const catalogue = catalogueOf({ a: ["a1", "a2"], b: ["b1"], c: ["c1"], d: ["d1", { tool: "p", kind: "prompt" }], big: many(60) });
  const after = (...names: string[]) => names.reduce((shown, name) => called(catalogue, shown, name), NOTHING_SHOWN);

  test("bring in all their tools, but no prompts, behind what was activated", () => {
    expect(typed(catalogue, after("d__d1", "a__a1"))).toEqual(["d__d1", "a__a1", "a__a2"]);
  });

  test("are the three that were called last, in an order that does not depend on which was last", () => {
    const pinnedOnly = (shown: Shown) => typed(catalogue, { ...shown, activated: [] });
    expect(pinnedOnly(after("a__a1", "b__b1", "c__c1", "d__d1"))).toEqual(["b__b1", "c__c1", "d__d1"]);
    expect(pinnedOnly(after("a__a1", "b__b1", "c__c1", "d__d1", "b__b1"))).toEqual(["b__b1", "c__c1", "d__d1"]);
  });

  test("share the room with what was activated, the last one called first", () => {
    const small = catalogueOf({ a: many(3, "a"), b: many(3, "b"), big: many(60) }, { maxActivatedTools: 4 });
    const shown = withRecent(withRecent(found(small, NOTHING_SHOWN, "big__t0"), "a"), "b");
    expect(typed(small, shown)).toEqual(["big__t0", "b__b0", "b__b1", "b__b2"]);
  });

  test("do not exist in lazy mode", () => {
    const lazy = catalogueOf({ a: ["a1", "a2"], big: many(60) }, { wrapperMode: "lazy" });
    expect(typed(lazy, called(lazy, NOTHING_SHOWN, "a__a1"))).toEqual(["a__a1"]);
  });

  test("that are gone leave nothing behind", () => {
    expect(typed(catalogueOf({ big: many(60) }), after("a__a1"))).toEqual([]);
  });
});

test("the same list is the same object, so that nobody makes it twice", () => {
  const catalogue = catalogueOf(THREE, NARROW);
  const shown = called(catalogue, NOTHING_SHOWN, "files__read");
  expect(shownOffers(catalogue, { profile: "default" }, shown)).toBe(
    shownOffers(catalogue, { profile: "default" }, withRecent(shown, "files")),
  );
});

test("whatever a session does, its list holds only what it may call, each once, and stays within its limits", () => {
  const servers = { a: many(9, "a"), b: many(9, "b"), c: many(9, "c"), d: [...many(9, "d"), { tool: "p", kind: "prompt" as const }] };
  const step = fc.record({
    find: fc.boolean(),
    names: fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(8)), { minLength: 1, maxLength: 6 }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.record({
        maxActivatedTools: fc.nat(12),
        maxPinnedServers: fc.nat(4),
        maxToolsPerRequest: fc.nat(20),
        listAllUpTo: fc.constantFrom(0, 50),
      }),
      fc.constantFrom("off" as const, "eager" as const, "lazy" as const, "pinned" as const),
      (steps, limits, wrapperMode) => {
        const catalogue = catalogueOf(servers, { ...limits, wrapperMode }, { b: { deniedTools: ["b1", "b2"] } });
        let shown = NOTHING_SHOWN;
        for (const { find, names } of steps) {
          const tools = names.map(([server, n]) => `${server}__${server}${n}`);
          const allowed = tools.filter((name) => authorise(catalogue, name, { profile: "default" }).allowed);
          if (find) shown = found(catalogue, shown, ...allowed);
          else for (const name of allowed) shown = called(catalogue, shown, name);
          const now = list(catalogue, shown);
          expect(new Set(now).size).toBe(now.length);
          for (const name of now) expect(authorise(catalogue, name, { profile: "default" }).allowed).toBe(true);
          expect(now.length).toBeLessThanOrEqual(Math.max(limits.maxToolsPerRequest, 2));
        }
      },
    ),
  );
});
