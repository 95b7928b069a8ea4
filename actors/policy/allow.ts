/** Whether a session may see and call a tool: one function for listing and for calling, so that visible means authorised. */
import type { Capability } from "../../events/call.ts";
import type { Scope } from "../../events/policy.ts";
import type { ServerPolicy, WrapperMode } from "../../events/registry.ts";
import { BUILTIN } from "../address.ts";
import { type Catalogue, type Offer, type ServerEntry, serverOf } from "../catalogue.ts";
import { typedPrefix } from "../naming.ts";
import { capabilityOf } from "./capability.ts";
import { layersOf } from "./layers.ts";
import { toolRefusal } from "./operations.ts";
import { scopeKey } from "./scope.ts";

/** The one tool that only makes sense where a session does not see everything. */
const FIND_TOOLS = "mcp_find_tools";

const names = (list: readonly string[], tool: string): boolean => list.some((entry) => entry.toLowerCase() === tool.toLowerCase());

/** The server entry's own lists: denied always beats allowed, without regard to case. */
export const isOffered = ({ allowedTools, deniedTools }: ServerPolicy, tool: string): boolean =>
  !names(deniedTools, tool) && (allowedTools.length === 0 || names(allowedTools, tool));

export type Verdict =
  | { readonly allowed: true; readonly offer: Offer; readonly capability: Capability; readonly rule: string }
  | {
      readonly allowed: false;
      readonly code: "tool_not_found" | "not_connected" | "refused";
      readonly rule: string;
      readonly reason: string;
    };

/** Who asks, and how: some names exist only in some modes. */
export interface Asking extends Scope {
  /** Inside a management tool, which reaches what has no name of its own. */
  readonly via?: string | undefined;
}

const hidden = (rule: string): Verdict => ({ allowed: false, code: "tool_not_found", rule, reason: "no such tool is offered here" });

/** Nobody knows the tools of a server that has never been reached; what bears its name is not said to be missing. */
function unknown({ servers, naming }: Catalogue, name: string): Verdict {
  for (const { name: server, offers, origin } of servers.values())
    if (naming === "prefixed" && origin !== "builtin" && offers.size === 0 && name.startsWith(typedPrefix(server)))
      return {
        allowed: false,
        code: "not_connected",
        rule: "server-never-reached",
        reason: `the server ${server} is registered but not reachable right now`,
      };
  return hidden("unknown-tool");
}

const withheld = (rule: string, reason: string): Verdict => ({ allowed: false, code: "refused", rule, reason });

/** In the mode `off` nothing has a typed name; there is nothing to find where nothing or everything is listed. */
function existsIn(mode: WrapperMode, { server, tool }: Offer, via: string | undefined): boolean {
  if (server === BUILTIN) return tool !== FIND_TOOLS || mode === "lazy" || mode === "pinned";
  return mode !== "off" || via !== undefined;
}

/** Of a session with this profile. */
export const modeOf = ({ surface }: Pick<Catalogue, "surface">, profile: string): WrapperMode =>
  (Object.hasOwn(surface.profileModes, profile) ? surface.profileModes[profile] : undefined) ?? surface.wrapperMode;

/** By scope, then by name. */
const judged = new WeakMap<Catalogue, Map<string, Map<string, Verdict>>>();
/** Requests may narrow in any way they like. */
const MAX_SCOPES = 256;

function memoOf(catalogue: Catalogue, scope: Scope | undefined): Map<string, Verdict> {
  const scopes = judged.get(catalogue) ?? new Map<string, Map<string, Verdict>>();
  judged.set(catalogue, scopes);
  const key = scope ? scopeKey(catalogue.policy, scope) : "";
  const before = scopes.get(key);
  if (before) return before;
  if (scopes.size >= MAX_SCOPES) scopes.clear();
  const fresh = new Map<string, Verdict>();
  scopes.set(key, fresh);
  return fresh;
}

/** The argument-free verdict on a published name; without `asking` that of a session whose profile and policy say nothing. */
export function authorise(catalogue: Catalogue, name: string, asking?: Asking): Verdict {
  const offer = catalogue.names.get(name);
  const server = offer && serverOf(catalogue, offer.server);
  if (!offer || !server) return unknown(catalogue, name);
  if (asking && !existsIn(modeOf(catalogue, asking.profile), offer, asking.via)) return hidden("wrapper-mode");
  const memo = memoOf(catalogue, asking);
  const before = memo.get(name);
  if (before) return before;
  const verdict = verdictOn(catalogue, offer, server, asking);
  memo.set(name, verdict);
  return verdict;
}

function verdictOn(catalogue: Catalogue, offer: Offer, server: ServerEntry, scope: Scope | undefined): Verdict {
  if (server.refused !== undefined) return hidden("server-refused");
  if (offer.kind === undefined && !isOffered(server.policy, offer.tool)) return hidden("server-tool-lists");
  if (server.disabled.includes(offer.tool)) return withheld("tool-disabled", "its operator has switched it off");
  if (offer.withheld && !server.policy.trusted)
    return withheld("definition-withheld", "its definition waits to be accepted by the operator");
  const rule = scope && toolRefusal(catalogue, offer, server, scope);
  if (rule !== undefined) return withheld(rule, "the policy does not allow it here");
  return { allowed: true, offer, capability: capabilityOf(server.policy, offer), rule: "default-allow" };
}

/** Inside a management tool: whatever mode the session is in. */
export const mayReach = (catalogue: Catalogue, { name }: Pick<Offer, "name">, scope: Scope): boolean =>
  authorise(catalogue, name, { ...scope, via: "reach" }).allowed;

/** What of a server is no tool can be read where one of its tools may be used, or the server as a whole. */
export function mayUseServer(catalogue: Catalogue, server: ServerEntry, scope: Scope): boolean {
  if (layersOf(catalogue.policy, scope).refusal({ names: [], server: server.name }, "read") === undefined) return true;
  return [...server.offers.values()].some((offer) => mayReach(catalogue, offer, scope));
}
