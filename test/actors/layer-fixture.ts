/** A small world under a policy, for the tests of its layers. */
import { authorise } from "../../actors/policy/allow.ts";
import { DEFAULT_POLICY, DEFAULT_PROFILE, OPEN_LAYER } from "../../actors/policy/defaults.ts";
import type { PolicyLayer, Profile, Scope } from "../../events/policy.ts";
import { catalogueOf } from "./shown-fixture.ts";

export type Layer = Partial<PolicyLayer>;
const BUILTIN = ["mcp_invoke_tool", "mcp_find_tools", "call_status", "web_search", "web_browse", "exec", "list_tool_guides"];
export const world = (
  global: Layer,
  agent: Layer = {},
  profiles: Readonly<Record<string, Partial<Profile>>> = {},
  modes: "eager" | "pinned" = "eager",
) => {
  const tools = BUILTIN.map((tool) => ({ tool, capability: tool === "exec" ? ("mutating" as const) : ("read" as const) }));
  const catalogue = catalogueOf(
    { builtin: tools, mail: ["send", { tool: "list", capability: "read" }, { tool: "letter", kind: "prompt" }], files: ["write"] },
    { wrapperMode: modes, listAllUpTo: 100 },
  );
  const filled = Object.entries(profiles).map(([name, profile]) => [name, { ...DEFAULT_PROFILE, ...profile }] as const);
  const policy = {
    ...DEFAULT_POLICY,
    global: { ...OPEN_LAYER, ...global },
    profiles: {
      ...DEFAULT_POLICY.profiles,
      default: { ...DEFAULT_PROFILE, policy: { ...OPEN_LAYER, ...agent } },
      ...Object.fromEntries(filled),
    },
  };
  return { ...catalogue, policy };
};
export type World = ReturnType<typeof world>;
export const NAMES = [...world({}).names.keys()];
export const allowed = (catalogue: World, scope: Scope = { profile: "default" }) =>
  NAMES.filter((name) => authorise(catalogue, name, { ...scope, via: "test" }).allowed);
export const without = (...gone: string[]) => NAMES.filter((name) => !gone.includes(name) && name !== "mcp_find_tools");
export const shown = (catalogue: World, scope?: Scope) => allowed(catalogue, scope).filter((name) => name !== "mcp_find_tools");
export const MANAGEMENT = ["mcp_invoke_tool", "call_status"];
