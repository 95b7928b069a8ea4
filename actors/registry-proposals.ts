/** What agents may do about servers: add new ones that speak HTTP, and remove their own. Everything else is the operator's. */
import { type RegistryEvent, ServerProposed, ServerRefused, ServerRegistered, ServerUnregistered } from "../events/registry.ts";
import { BUILTIN } from "./address.ts";
import { type Catalogue, serverOf } from "./catalogue.ts";
import { isConfusable } from "./confusable.ts";
import type { Proposal } from "./registry-commands.ts";

const NAME = /^(?!.*__)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

const ASK = "ask the person you work for";

/** Why a server cannot be added, in words for the agent; undefined when it can. */
export function proposalFault(catalogue: Catalogue, { name, owner, duplicateOf }: Proposal): string | undefined {
  if (!NAME.test(name))
    return "a server's name is 1 to 64 of A-Z a-z 0-9 _ . - , starts with a letter or digit and has no __; choose another name";
  if (name.toLowerCase() === BUILTIN) return "this name is taken by toolcrib itself; choose another name";
  const existing = serverOf(catalogue, name);
  if (existing && existing.owner === owner)
    return `you have registered a server of this name already; unregister it first with mcp_unregister_server("${existing.name}")`;
  if (existing?.origin === "agent") return "another agent has registered a server of this name; choose another name";
  if (existing) return `a server of this name is managed by the operator; to change it, ${ASK}`;
  const like = [...catalogue.servers.values()].find((server) => isConfusable(server.name, name));
  if (like) return `the name looks like that of the server "${like.name}"; choose one that cannot be mistaken for it`;
  if (duplicateOf !== undefined) return `this address is registered already, as "${duplicateOf}"; use that server`;
  return undefined;
}

/** Why an agent cannot remove a server; undefined when it can. */
export function removalFault(catalogue: Catalogue, name: string, owner: string): string | undefined {
  const server = serverOf(catalogue, name);
  if (!server || server.name === BUILTIN) {
    const names = [...catalogue.servers.values()].map((one) => one.name).filter((one) => one !== BUILTIN);
    return `there is no server "${name}"; the servers are: ${names.length > 0 ? names.sort().join(", ") : "none"}`;
  }
  if (server.origin !== "agent") return `"${server.name}" is managed by the operator; to remove it, ${ASK}`;
  return server.owner === owner ? undefined : `"${server.name}" was registered by another agent; only that one can remove it`;
}

const refused = (name: string, reason: string): RegistryEvent[] => [ServerRefused({ name, reason, proposal: true })];

export function propose(state: Catalogue, { duplicateOf, ...proposal }: Proposal): RegistryEvent[] {
  const fault = proposalFault(state, { ...proposal, ...(duplicateOf !== undefined && { duplicateOf }) });
  return fault === undefined ? [ServerProposed(proposal)] : refused(proposal.name, fault);
}

/** Judged again: somebody may have been faster. */
export function register(state: Catalogue, id: string, proposal: Proposal): RegistryEvent[] {
  const fault = proposalFault(state, proposal);
  const { name, owner, transport, url } = proposal;
  return fault === undefined ? [ServerRegistered({ name, id, origin: "agent", transport, owner, url })] : refused(name, fault);
}

export const reject = (name: string, reason: string): RegistryEvent[] => refused(name, reason);

export function unregister(state: Catalogue, name: string, owner: string): RegistryEvent[] {
  const server = serverOf(state, name);
  return server && removalFault(state, name, owner) === undefined ? [ServerUnregistered({ name: server.name, id: server.id })] : [];
}
