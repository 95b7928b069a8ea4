/** Whether a session may see and call a tool: one function for listing and for calling, so that visible means authorised. */
import type { Capability } from "../../events/call.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { type Catalogue, type Offer, serverOf } from "../catalogue.ts";
import { typedPrefix } from "../naming.ts";

const names = (list: readonly string[], tool: string): boolean => list.some((entry) => entry.toLowerCase() === tool.toLowerCase());

/** The server entry's own lists: denied always beats allowed, without regard to case. */
export const isOffered = ({ allowedTools, deniedTools }: ServerPolicy, tool: string): boolean =>
  !names(deniedTools, tool) && (allowedTools.length === 0 || names(allowedTools, tool));

/** What a call of this tool may do: the operator's word first, then a trusted server's hint, then the tool's own default. */
export function capabilityOf({ capabilities, trusted }: ServerPolicy, offer: Offer): Capability {
  const stated = Object.hasOwn(capabilities, offer.tool) ? capabilities[offer.tool] : capabilities["*"];
  return stated ?? (trusted && offer.readOnlyHint ? "read" : offer.capability);
}

export type Verdict =
  | { readonly allowed: true; readonly offer: Offer; readonly capability: Capability; readonly rule: string }
  | { readonly allowed: false; readonly code: "tool_not_found" | "not_connected"; readonly rule: string; readonly reason: string };

const hidden = (rule: string): Verdict => ({ allowed: false, code: "tool_not_found", rule, reason: "no such tool is offered here" });

/** Nobody knows the tools of a server that has never been reached; what bears its name is not said to be missing. */
function unknown({ servers, naming }: Catalogue, name: string): Verdict {
  for (const { name: server, offers, origin } of servers.values())
    if (naming === "prefixed" && origin !== "builtin" && offers.size === 0 && name.startsWith(typedPrefix(server)))
      return {
        allowed: false,
        code: "not_connected",
        rule: "server-never-reached",
        reason: `the server ${server} has not been reached yet`,
      };
  return hidden("unknown-tool");
}

/** The argument-free verdict on a published name. */
export function authorise(catalogue: Catalogue, name: string): Verdict {
  const offer = catalogue.names.get(name);
  const server = offer && serverOf(catalogue, offer.server);
  if (!offer || !server) return unknown(catalogue, name);
  if (server.refused !== undefined) return hidden("server-refused");
  if (!isOffered(server.policy, offer.tool)) return hidden("server-tool-lists");
  return { allowed: true, offer, capability: capabilityOf(server.policy, offer), rule: "default-allow" };
}
