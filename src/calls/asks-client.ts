/** Whether the client's own person may have to be asked during a call as it comes in, for an approval or for its server: also when it names its tool inside, or narrows its rules. */
import { BUILTIN } from "../../actors/address.ts";
import { mayAskClient } from "../../actors/approvals/may-ask.ts";
import { type Catalogue, elicitationOf, serverOf } from "../../actors/catalogue.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Incoming } from "../mcp/upstream/backend.ts";
import type { ClientAbilities } from "../mcp/upstream/client-abilities.ts";
import { narrowingOf } from "./narrowing.ts";

/** Those that name a tool or a prompt of a server inside. */
const WRAPPERS = new Set(["mcp_invoke_tool", "mcp_get_prompt"]);

export function asksClient(
  catalogue: Catalogue,
  session: SessionState,
  { name, arguments: args, meta }: Incoming,
  client: ClientAbilities,
): boolean {
  const showsForms = client.era === "legacy" && client.elicitation; // to a modern one they go as a result
  if (showsForms && targetsOf(catalogue, name, args).some((target) => mayPassForms(catalogue, target))) return true;
  const narrowing = narrowingOf(meta);
  const asking = narrowing && "narrow" in narrowing ? { ...session, narrow: narrowing.narrow } : session;
  return targetsOf(catalogue, name, args).some((target) => mayAskClient(catalogue, asking, target));
}

/** Whether the server behind a name may ask, and the client's person is among those who answer. */
function mayPassForms(catalogue: Catalogue, name: string): boolean {
  const server = catalogue.names.get(name)?.server;
  if (server === undefined || server === BUILTIN) return false;
  const { mode, responder = "" } = elicitationOf(catalogue, server);
  return (mode === "auto" || mode === "handback") && ["", "client"].includes(responder.trim().toLowerCase());
}

/** What it may come to. Which one is found out later: everything of that server. */
function targetsOf(catalogue: Catalogue, name: string, args: Incoming["arguments"]): readonly string[] {
  const offer = catalogue.names.get(name);
  if (offer?.server !== BUILTIN || !WRAPPERS.has(offer.tool)) return [name];
  const named = args["server_name"];
  const server = typeof named === "string" ? serverOf(catalogue, named.trim()) : undefined;
  return server ? [...server.offers.values()].map((inner) => inner.name) : [];
}
