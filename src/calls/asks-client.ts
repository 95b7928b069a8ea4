/** Whether the client's own person may have to be asked about a call as it comes in: also when it names its tool inside, or narrows its rules. */
import { BUILTIN } from "../../actors/address.ts";
import { mayAskClient } from "../../actors/approvals/may-ask.ts";
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Incoming } from "../mcp/upstream/backend.ts";
import { narrowingOf } from "./narrowing.ts";

/** Those that name a tool or a prompt of a server inside. */
const WRAPPERS = new Set(["mcp_invoke_tool", "mcp_get_prompt"]);

export function asksClient(catalogue: Catalogue, session: SessionState, { name, arguments: args, meta }: Incoming): boolean {
  const narrowing = narrowingOf(meta);
  const asking = narrowing && "narrow" in narrowing ? { ...session, narrow: narrowing.narrow } : session;
  return targetsOf(catalogue, name, args).some((target) => mayAskClient(catalogue, asking, target));
}

/** What it may come to. Which one is found out later: everything of that server. */
function targetsOf(catalogue: Catalogue, name: string, args: Incoming["arguments"]): readonly string[] {
  const offer = catalogue.names.get(name);
  if (offer?.server !== BUILTIN || !WRAPPERS.has(offer.tool)) return [name];
  const named = args["server_name"];
  const server = typeof named === "string" ? serverOf(catalogue, named.trim()) : undefined;
  return server ? [...server.offers.values()].map((inner) => inner.name) : [];
}
