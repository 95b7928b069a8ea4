/** The layers of a policy: their order as a table, and how a request narrows them. */
import { describe, expect, test } from "bun:test";
import { authorise } from "../../actors/policy/allow.ts";
import { DEFAULT_PROFILE, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import { profileIn } from "../../actors/policy/scope.ts";
import type { Scope } from "../../events/policy.ts";
import { type Layer, MANAGEMENT, shown, type World, without, world } from "./layer-fixture.ts";

describe("a layer", () => {
  test.each([
    ["nothing", {}, {}, without()],
    ["deny by typed name, without regard to case", { deny: ["MAIL__Send"] }, {}, without("mail__send")],
    ["deny by alias", { deny: ["web_fetch"] }, {}, without("web_browse")],
    ["deny by group", { deny: ["group:web"] }, {}, without("web_search", "web_browse")],
    ["deny of all servers", { deny: ["group:mcp"] }, {}, without("mail__send", "mail__list", "mail__letter-prompt", "files__write")],
    ["deny of one server", { deny: ["group:mcp:Mail"] }, {}, without("mail__send", "mail__list", "mail__letter-prompt")],
    ["deny by an operator's group in a group", { deny: ["group:a"], groups: { a: ["group:b"], b: ["exec"] } }, {}, without("exec")],
    ["a group that holds itself ends", { deny: ["group:a"], groups: { a: ["group:a", "exec"] } }, {}, without("exec")],
    [
      "a profile's own group comes before that of the policy",
      { groups: { a: ["exec"] } },
      { deny: ["group:a"], groups: { a: ["web_search"] } },
      without("web_search"),
    ],
    ["allow leaves management tools", { allow: ["mail__send"] }, {}, [...MANAGEMENT, "mail__send"]],
    ["allow of a group that nobody knows allows nothing", { allow: ["group:nobody"] }, {}, MANAGEMENT],
    ["allow lists intersect", { allow: ["mail__send", "exec"] }, { allow: ["exec", "web_search"] }, [...MANAGEMENT, "exec"]],
    ["management tools can be denied by name", { deny: ["mcp_invoke_tool"] }, {}, without("mcp_invoke_tool")],
    ["alsoAllow beats deny", { deny: ["group:web"] }, { alsoAllow: ["web_search"] }, without("web_browse")],
    [
      "alsoAllow beats sets and allow lists",
      { profile: "minimal", allow: ["exec"], alsoAllow: ["mail__list"] },
      {},
      [...MANAGEMENT, "mail__list"],
    ],
    ["hardDeny beats alsoAllow", { alsoAllow: ["exec"] }, { hardDeny: ["exec"] }, without("exec")],
    [
      "denyCapabilities beats alsoAllow",
      { denyCapabilities: ["mutating"], alsoAllow: ["exec"] },
      {},
      without("exec", "mail__send", "mail__letter-prompt", "files__write"),
    ],
    ["denyCapabilities mcp", {}, { denyCapabilities: ["mcp"] }, without("mail__send", "mail__list", "mail__letter-prompt", "files__write")],
    ["minimal", { profile: "minimal" }, {}, MANAGEMENT],
    ["messaging", { profile: "messaging" }, {}, without("exec")],
    ["coding", { profile: "coding" }, {}, without()],
    ["sets intersect", { profile: "full" }, { profile: "minimal" }, MANAGEMENT],
    ["the whole name of a prompt", { deny: ["mail__letter-prompt"] }, {}, without("mail__letter-prompt")],
  ] as const satisfies readonly (readonly [string, object, object, readonly string[]])[])("%s", (_, global, agent, left) => {
    expect(shown(world(global as Layer, agent as Layer)).toSorted()).toEqual([...left].toSorted());
  });

  test("says which layer and which entry refused", () => {
    const rule = (catalogue: World, name: string, scope: Scope = { profile: "default" }) => authorise(catalogue, name, scope).rule;
    expect(rule(world({ deny: ["group:web"] }), "web_search")).toBe("policy.deny:group:web");
    expect(rule(world({}, { hardDeny: ["exec"] }), "exec")).toBe("profiles.default.policy.hardDeny:exec");
    expect(rule(world({}, { allow: ["exec"] }), "web_search")).toBe("profiles.default.policy.allow");
    expect(rule(world({ profile: "messaging" }), "exec")).toBe("policy.profile:messaging");
    expect(rule(world({ denyCapabilities: ["mutating"] }), "exec")).toBe("policy.denyCapabilities:mutating");
    expect(rule(world({}), "exec", { profile: "restricted" })).toBe("autonomy:restricted");
    expect(rule(world({}), "exec", { profile: "default", narrow: { allow: ["web_search"] } })).toBe("request.allow");
    expect(authorise(world({ deny: ["exec"] }), "exec", { profile: "default" })).toMatchObject({ allowed: false, code: "refused" });
  });

  test("of a client holds for that client", () => {
    const catalogue = world(
      { byClient: { Zed: { profile: "messaging", allow: [] } } },
      { byClient: { Zed: { allow: ["web_search", "exec"] } } },
    );
    expect(shown(catalogue, { profile: "default", client: "Zed" })).toEqual(expect.arrayContaining([...MANAGEMENT, "web_search"]));
    expect(shown(catalogue, { profile: "default", client: "Zed" })).toHaveLength(3);
    expect(shown(catalogue, { profile: "default", client: "other" })).toEqual(without());
  });

  test("restricted sees reads only, and the tool that takes the capability of its target", () => {
    const left = ["mcp_invoke_tool", "call_status", "web_search", "web_browse", "list_tool_guides", "mail__list"];
    expect(shown(world({}), { profile: "restricted" }).toSorted()).toEqual(left.toSorted());
  });
});

describe("a request narrows", () => {
  const profiles = {
    careful: { autonomy: "supervised" as const, riskCeiling: "critical" as const, policy: { ...OPEN_LAYER, deny: ["exec"] } },
  };

  test("to a list, and to another profile beside its own", () => {
    const catalogue = world({}, { deny: ["web_search"] }, profiles);
    expect(shown(catalogue, { profile: "default", narrow: { allow: ["group:web"] } })).toEqual([
      "mcp_invoke_tool",
      "call_status",
      "web_browse",
    ]);
    expect(shown(catalogue, { profile: "default", narrow: { profile: "careful" } })).toEqual(without("web_search", "exec"));
  });

  test("autonomy, ceiling and limits to the stricter of both", () => {
    const limits = { ...DEFAULT_PROFILE.limits, callsPerHour: 7, spin: { repetition: 2, window: 4 }, orderedWrites: true };
    const { policy } = world({}, {}, { careful: { ...profiles.careful, limits } });
    const narrowed = profileIn(policy, { profile: "default", narrow: { profile: "careful" } });
    expect(narrowed).toMatchObject({ autonomy: "supervised", riskCeiling: "high" });
    expect(narrowed.limits).toEqual(limits);
    expect(profileIn(policy, { profile: "careful", narrow: { profile: "default" } })).toMatchObject({ autonomy: "supervised", limits });
    expect(profileIn(policy, { profile: "default", narrow: { profile: "nobody knows it" } }).autonomy).toBe("restricted");
  });
});
