/** The layers of a policy, in their order: sets, allow lists, deny lists, what is back in, kinds of tools, and what nothing brings back. */
import type { Capability } from "../../events/call.ts";
import type { Autonomy, Policy, PolicyLayer, Scope, ToolSet } from "../../events/policy.ts";
import { BUILTIN } from "../address.ts";
import { profileOf } from "./defaults.ts";
import { type NameList, nameList, type Subject } from "./lists.ts";
import { OUTSIDE_ALLOW_LISTS, TAKES_TARGET, TOOL_SETS } from "./names.ts";
import { scopeKey } from "./scope.ts";

export interface Layers {
  /** The rule that refuses it, by layer and entry; undefined when none does. */
  refusal(subject: Subject, capability: Capability): string | undefined;
  /** Every name in a list, in lower case: operations that nothing else tells of stand there. */
  readonly names: readonly string[];
}

/** One list with the place it stands at. */
type Placed<T> = readonly (readonly [place: string, part: T])[];
interface Opened {
  readonly sets: Placed<ToolSet>;
  readonly allow: Placed<NameList>;
  readonly deny: Placed<NameList>;
  readonly alsoAllow: Placed<NameList>;
  readonly hardDeny: Placed<NameList>;
  readonly kinds: Placed<PolicyLayer["denyCapabilities"]>;
  readonly autonomy: Autonomy;
}

const made = new WeakMap<Policy, Map<string, Layers>>();
/** Requests may narrow in any way they like. */
const MAX_SCOPES = 256;

/** Made once for a policy and a scope. */
export function layersOf(policy: Policy, scope: Scope): Layers {
  const known = made.get(policy) ?? new Map<string, Layers>();
  made.set(policy, known);
  const key = scopeKey(policy, scope);
  const before = known.get(key);
  if (before) return before;
  if (known.size >= MAX_SCOPES) known.clear();
  const { profile, client, narrow } = scope;
  const own = open(policy, profile, client, narrow?.allow ?? []);
  const all = narrow?.profile === undefined ? [own] : [own, open(policy, narrow.profile, client, [])];
  const layers: Layers = {
    refusal: (subject, capability) => {
      for (const one of all) {
        const rule = refusalBy(one, subject, capability);
        if (rule !== undefined) return rule;
      }
      return undefined;
    },
    names: all.flatMap(({ allow, deny, alsoAllow, hardDeny }) =>
      [allow, deny, alsoAllow, hardDeny].flat().flatMap(([, list]) => list.names),
    ),
  };
  known.set(key, layers);
  return layers;
}

function open(policy: Policy, name: string, client: string | undefined, requested: readonly string[]): Opened {
  const { global } = policy;
  const { policy: agent, autonomy } = profileOf(policy, name);
  const groups = { ...global.groups, ...agent.groups };
  const at = `profiles.${name}.policy`;
  const of = (layer: PolicyLayer) => (client !== undefined && Object.hasOwn(layer.byClient, client) ? layer.byClient[client] : undefined);
  const byClient = (place: string, layer: PolicyLayer) => [`${place}.byClient.${client}`, of(layer)] as const;
  const clients = [byClient("policy", global), byClient(at, agent)];
  const set = (place: string, part: ToolSet | undefined) => (part === undefined ? [] : [[`${place}.profile`, part] as const]);
  const list = (place: string, entries: readonly string[] = [], known = groups) => {
    const opened = nameList(entries, known);
    return opened ? [[place, opened] as const] : [];
  };
  const both = (key: "allow" | "deny" | "alsoAllow" | "hardDeny") => [
    ...list(`policy.${key}`, global[key], global.groups),
    ...list(`${at}.${key}`, agent[key]),
  ];
  return {
    autonomy,
    sets: [...set("policy", global.profile), ...set(at, agent.profile), ...clients.flatMap(([place, part]) => set(place, part?.profile))],
    allow: [
      ...both("allow"),
      ...clients.flatMap(([place, part]) => list(`${place}.allow`, part?.allow)),
      ...list("request.allow", requested),
    ],
    deny: both("deny"),
    alsoAllow: both("alsoAllow"),
    hardDeny: both("hardDeny"),
    kinds: [
      ["policy", global.denyCapabilities],
      [at, agent.denyCapabilities],
    ],
  };
}

const named = (lists: Placed<NameList>, subject: Subject): string | undefined => {
  for (const [place, list] of lists) {
    const entry = list.entryFor(subject);
    if (entry !== undefined) return `${place}:${entry}`;
  }
  return undefined;
};

function refusalBy(layers: Opened, subject: Subject, capability: Capability): string | undefined {
  const refused = leftOut(layers, subject) ?? named(layers.deny, subject);
  if (refused !== undefined && named(layers.alsoAllow, subject) === undefined) return refused;
  return kindRefused(layers, subject, capability) ?? named(layers.hardDeny, subject);
}

/** By a set or by an allow list. */
function leftOut({ sets, allow }: Opened, subject: Subject): string | undefined {
  const isBuiltin = subject.server === BUILTIN;
  if (isBuiltin && subject.names.some((name) => OUTSIDE_ALLOW_LISTS.has(name))) return undefined;
  for (const [place, set] of sets) if (!isIn(set, subject, isBuiltin)) return `${place}:${set}`;
  return allow.find(([, list]) => list.entryFor(subject) === undefined)?.[0];
}

/** Sets are about built-in tools; only the smallest leaves no tool of a server. */
function isIn(set: ToolSet, { names }: Subject, isBuiltin: boolean): boolean {
  if (set === "full" || set === "minimal") return set === "full";
  return !isBuiltin || names.some((name) => TOOL_SETS[set].has(name));
}

function kindRefused({ kinds, autonomy }: Opened, { names, server }: Subject, capability: Capability): string | undefined {
  if (server === BUILTIN && names.some((name) => TAKES_TARGET.has(name))) return undefined;
  for (const [place, denied] of kinds) {
    if (denied.includes(capability)) return `${place}.denyCapabilities:${capability}`;
    if (denied.includes("mcp") && server !== BUILTIN) return `${place}.denyCapabilities:mcp`;
  }
  return autonomy === "restricted" && capability !== "read" ? "autonomy:restricted" : undefined;
}
