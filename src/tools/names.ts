/** Finding servers and tools by the names that agents use, and the texts when there is no such thing. */
import { BUILTIN } from "../../actors/address.ts";
import { type Catalogue, type Offer, type ServerEntry, serverOf } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { type Refusal, refuse } from "./define.ts";

const listed = (names: readonly string[]): string => (names.length > 0 ? names.join(", ") : "none");

/** Servers an agent may name. */
const servers = (catalogue: Catalogue): ServerEntry[] => [...catalogue.servers.values()].filter(({ name }) => name !== BUILTIN);

export function findServer(catalogue: Catalogue, name: string): ServerEntry | Refusal {
  const server = serverOf(catalogue, name.trim());
  if (!server || server.name === BUILTIN)
    return refuse(
      "tool_not_found",
      `there is no server "${name}"; the servers are: ${listed(servers(catalogue).map((entry) => entry.name))}`,
    );
  if (server.refused !== undefined)
    return refuse("not_connected", `the server "${server.name}" cannot be used as it is configured; its operator sees why`);
  return server;
}

/** Without regard to case; only tools that may be called. */
export function findTool(catalogue: Catalogue, server: ServerEntry, tool: string): Offer | Refusal {
  const wanted = tool.trim().toLowerCase();
  const callable = [...server.offers.values()].filter((offer) => authorise(catalogue, offer.name).allowed);
  if (server.offers.size === 0) return refuse("not_connected", `the server "${server.name}" has not been reached yet`);
  const found = callable.find((offer) => offer.tool === tool) ?? callable.find((offer) => offer.tool.toLowerCase() === wanted);
  return (
    found ??
    refuse("tool_not_found", `"${server.name}" has no tool "${tool}"; its tools are: ${listed(callable.map((offer) => offer.tool))}`)
  );
}
