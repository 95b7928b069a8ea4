/** Visible means authorised, and authorised means visible, at every front door: whatever is configured, changed, withheld or switched off. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { REGISTRY } from "../../actors/address.ts";
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import type { PromptDefinition, ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import { fakeServer, harness, text } from "../harness.ts";
import { metWherever } from "../met.ts";
import { isLeft, layer, layerOf, narrowing } from "./visible-policy.ts";

/** Stands in every text of a definition, and so tells in which answers a definition shows. */
const canary = (server: string, tool: string, version: number) => `canary-${server}-${tool}-${version}`;
const define = (server: string, tool: string, version: number): ToolDefinition => ({
  name: tool,
  description: `does ${tool}, ${canary(server, tool, version)}`,
  inputSchema: { type: "object", properties: { [`p_${canary(server, tool, version)}`]: { type: "string" } } },
});
const promptOf = (server: string): PromptDefinition => ({ name: "letter", description: canary(server, "letter", 1) });

const SERVERS = ["alpha", "beta", "gamma"] as const;
const TOOLS = ["t0", "t1", "t2", "t3"] as const;
const server = fc.record({
  tools: fc.subarray([...TOOLS], { minLength: 1 }),
  allowedTools: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.subarray([...TOOLS])),
  deniedTools: fc.subarray(["T0", "t1", "t9"]),
  trusted: fc.boolean(),
  changed: fc.subarray([...TOOLS]),
  added: fc.boolean(),
  disabled: fc.subarray([...TOOLS], { maxLength: 1 }),
  accepted: fc.boolean(),
});
const plan = fc.record({
  global: layer,
  agent: layer,
  requested: narrowing,
  wrapperMode: fc.constantFrom("off" as const, "eager" as const, "lazy" as const, "pinned" as const),
  listAllUpTo: fc.constantFrom(0, 40),
  drift: fc.record({
    changed: fc.constantFrom("withhold" as const, "warn" as const),
    added: fc.constantFrom("warn" as const, "withhold" as const),
  }),
  servers: fc.tuple(server, server, server),
  called: fc.array(fc.tuple(fc.constantFrom(...SERVERS), fc.constantFrom(...TOOLS)), { maxLength: 3 }),
});

/** What the configuration means, said once more in other words. */
function isMeant(
  of: typeof server extends fc.Arbitrary<infer T> ? T | undefined : never,
  tool: string,
  drift: { changed: string; added: string },
): boolean {
  if (!of) return false;
  const { tools, allowedTools, deniedTools, trusted, changed, added, disabled, accepted } = of;
  const isOld = tools.includes(tool as never);
  const lower = (list: readonly string[]) => list.map((one) => one.toLowerCase());
  const lists = [lower(allowedTools), lower(deniedTools)];
  if (!isOld && !(tool === "extra" && added)) return false;
  if (lists[1]?.includes(tool) || (allowedTools.length > 0 && !lists[0]?.includes(tool)) || disabled.includes(tool as never)) return false;
  const isHeld = isOld ? changed.includes(tool as never) && drift.changed === "withhold" : drift.added === "withhold";
  return !isHeld || trusted || accepted;
}

async function play(one: typeof plan extends fc.Arbitrary<infer T> ? T : never) {
  const { wrapperMode, listAllUpTo, drift, servers: given, called, global, agent, requested } = one;
  const fakes = SERVERS.map((name, index) =>
    fakeServer(
      (given[index]?.tools ?? []).map((tool) => define(name, tool, 1)),
      { listPrompts: async () => [promptOf(name)] },
    ),
  );
  const world = await harness({
    servers: Object.fromEntries(SERVERS.map((name, index) => [name, fakes[index] ?? fakeServer()])),
    policies: Object.fromEntries(
      SERVERS.map((name, index) => {
        const { allowedTools = [], deniedTools = [], trusted = false } = given[index] ?? {};
        return [name, { allowedTools, deniedTools, trusted }];
      }),
    ),
    surface: { wrapperMode, listAllUpTo, drift },
    policy: {
      global: layerOf(global),
      profiles: { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, policy: layerOf(agent) } },
    },
  });
  await world.settle();
  const now = new Map<string, number>();
  for (const [index, name] of SERVERS.entries()) {
    const { tools = [], changed = [], added = false, disabled = [], accepted = false } = given[index] ?? {};
    const versionOf = (tool: string) => (changed.includes(tool as never) ? 2 : 1);
    const offered = [...tools, ...(added ? ["extra"] : [])];
    for (const tool of offered) now.set(`${name}__${tool}`, versionOf(tool));
    const fake = fakes[index];
    if (fake) fake.tools = offered.map((tool) => define(name, tool, versionOf(tool)));
    fake?.changed();
    await world.settle();
    for (const tool of disabled) await world.runtime.enter(REGISTRY, { type: "switch", server: name, tool, enabled: false, by: "test" });
    if (accepted) await world.runtime.enter(REGISTRY, { type: "accept", server: name, by: "test" });
  }
  await world.settle();
  const session = await world.session("s_1");
  const narrow = { allow: requested };
  const caller = { session: "s_1", agent: "ada", profile: "default", client: "test", narrow };
  const ask = async (name: string, args: Record<string, unknown> = {}) => {
    const asking = session.call(name, args, { caller });
    await world.settle();
    for (const fake of fakes) for (const { answer } of fake.calls.splice(0)) answer(text("done"));
    await world.settle();
    return asking;
  };
  for (const [name, tool] of called) await ask(`${name}__${tool}`);

  const lists = createToolLists(world);
  const listed = new Set(
    lists
      .of("s_1", narrow)
      .map(({ name }) => name)
      .filter((name) => name.includes("__")),
  );
  const services = await ask("mcp_list_services");
  const details = await Promise.all(SERVERS.map((name) => ask("mcp_get_service_details", { server_name: name })));
  const found = await ask("mcp_find_tools", { query: "does t0 t1 t2 t3 extra", limit: 25 });
  const search = await ask("search_known_services", { query: "does t0 t1 t2 t3 extra" });
  const seen = JSON.stringify([services, details, found, search, lists.of("s_1", narrow)]);
  const shown = new Set<string>();
  for (const detail of details) {
    const { server: about, tools = [] } = (detail.structuredContent ?? {}) as { server?: { name: string }; tools?: { name: string }[] };
    for (const { name } of tools) shown.add(`${about?.name}__${name}`);
  }
  const callable = new Set<string>();
  for (const name of SERVERS)
    for (const tool of [...TOOLS, "extra"]) {
      const direct = await ask(`${name}__${tool}`);
      const wrapped = await ask("mcp_invoke_tool", { server_name: name, tool_name: tool, arguments: {} });
      const code = direct.structuredContent?.error?.["code"];
      if (direct.content.at(-1)?.text === "done") callable.add(`${name}__${tool}`);
      else expect(["refused", "tool_not_found"]).toContain(String(code));
      const isWrapped = wrapped.content.at(-1)?.text === "done";
      expect(isWrapped).toBe(wrapperMode === "off" ? shown.has(`${name}__${tool}`) : callable.has(`${name}__${tool}`));
      const refusals = JSON.stringify([direct, wrapped]);
      for (const version of [1, 2]) expect(refusals).not.toContain(canary(name, tool, version));
    }
  const meant = SERVERS.flatMap((name, index) =>
    [...TOOLS, "extra"]
      .filter((tool) => isMeant(given[index], tool, drift) && isLeft([global, agent], requested, name, tool))
      .map((tool) => `${name}__${tool}`),
  );
  expect([...shown].sort()).toEqual(meant.sort());
  // Listed and found is callable; what details show is exactly what may be called.
  for (const name of listed) if (!name.endsWith("-prompt")) expect(callable.has(name)).toBe(true);
  if (wrapperMode !== "off") expect([...shown].sort()).toEqual([...callable].sort());
  if (wrapperMode === "eager" || (listAllUpTo === 40 && wrapperMode !== "off"))
    expect([...listed].filter((name) => !name.endsWith("-prompt")).sort()).toEqual([...callable].sort());
  if (wrapperMode === "off") expect([listed.size, callable.size]).toEqual([0, 0]);
  // A text shows at the doors only while the tool may be called, and only as it is now.
  for (const name of SERVERS)
    for (const tool of [...TOOLS, "extra"])
      for (const version of [1, 2])
        if (seen.includes(canary(name, tool, version))) {
          expect(shown.has(`${name}__${tool}`)).toBe(true);
          expect(now.get(`${name}__${tool}`)).toBe(version);
        }
  return { callable: shown.size, hidden: SERVERS.length * (TOOLS.length + 1) - shown.size };
}

test("in every configuration", async () => {
  const runs = Number(process.env["TOOLCRIB_RUNS"] ?? 40);
  const met = await metWherever(plan, play, { runs, counted: 20 });
  const bothSides = met.filter(({ callable, hidden }) => callable > 0 && hidden > 0);
  expect(bothSides.length).toBeGreaterThanOrEqual(15); // nine of ten on the average
}, 120_000);
