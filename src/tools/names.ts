/** Finding servers and tools by the names that agents use, and the texts when there is no such thing. */
import { BUILTIN } from "../../actors/address.ts";
import { type Offer, type ServerEntry, serverOf, toolsOf } from "../../actors/catalogue.ts";
import { typedPrefix } from "../../actors/naming.ts";
import { authorise, mayUseServer } from "../../actors/policy/allow.ts";
import { type Refusal, refuse, type ToolContext } from "./define.ts";

/** Who is to find something. */
type Asker = Pick<ToolContext, "catalogue" | "scope">;

const listed = (names: readonly string[]): string => (names.length > 0 ? names.join(", ") : "none");

/** The names of the servers an agent may name, sorted. */
const serverNames = ({ catalogue, scope }: Asker): string[] =>
  [...catalogue.servers.values()]
    .filter((server) => server.name !== BUILTIN && mayUseServer(catalogue, server, scope))
    .map(({ name }) => name)
    .sort();

/** The offer that bears a typed name, if it may be called. */
function typed({ catalogue, scope }: Asker, name: string): Offer | undefined {
  const verdict = authorise(catalogue, name.trim(), { ...scope, via: "hint" });
  return verdict.allowed && verdict.offer.server !== BUILTIN ? verdict.offer : undefined;
}

const apart = ({ name, server, tool }: Offer): string =>
  `"${name}" is a typed name: call it by that name, or split it into server_name "${server}" and tool_name "${tool}"`;

export function findServer(asker: Asker, name: string): ServerEntry | Refusal {
  const { catalogue, scope } = asker;
  const server = serverOf(catalogue, name.trim());
  if (!server || server.name === BUILTIN) {
    const offer = typed(asker, name);
    const hint = offer ? `; ${apart(offer)}` : "";
    return refuse("tool_not_found", `there is no server "${name}"${hint}; the servers are: ${listed(serverNames(asker))}`);
  }
  if (server.refused !== undefined)
    return refuse("not_connected", `the server "${server.name}" cannot be used as it is configured; its operator sees why`);
  if (!mayUseServer(catalogue, server, scope)) return refuse("refused", `the policy does not allow the server "${server.name}" here`);
  return server;
}

/** Without regard to case, also by the typed name `{server}__{tool}`; what may not be called is refused, and what its server entry leaves out is not there. */
export function findTool(asker: Asker, server: ServerEntry, tool: string): Offer | Refusal {
  const { catalogue, scope } = asker;
  const verdictOn = (offer: Offer) => authorise(catalogue, offer.name, { ...scope, via: "invoke_tool" });
  if (server.offers.size === 0)
    return refuse(
      "not_connected",
      `the server "${server.name}" is registered but not reachable right now, and its tools are not known yet; it is tried again by itself, so call again a little later`,
    );
  const judged = toolsOf(server).map((offer) => ({ offer, verdict: verdictOn(offer) }));
  const there = judged.filter(({ verdict }) => verdict.allowed || verdict.code === "refused").map(({ offer }) => offer);
  const called = (name: string) =>
    there.find((offer) => offer.tool === name) ??
    there.find((offer) => offer.tool.toLowerCase() === name.toLowerCase()) ??
    there.find((offer) => offer.name === name);
  const wanted = tool.trim();
  const prefix = typedPrefix(server.name);
  const isPrefixed = wanted.toLowerCase().startsWith(prefix.toLowerCase());
  const found = called(tool) ?? called(wanted) ?? (isPrefixed ? called(wanted.slice(prefix.length)) : undefined);
  const verdict = found && verdictOn(found);
  if (verdict) return verdict.allowed ? found : refuse(verdict.code, verdict.reason);
  const callable = judged.flatMap(({ offer, verdict: { allowed } }) => (allowed ? [offer.tool] : []));
  const other = typed(asker, wanted);
  const hint = other ? `; ${apart(other)}` : "";
  return refuse("tool_not_found", `"${server.name}" has no tool "${tool}"${hint}; its tools are: ${listed(callable)}`);
}
