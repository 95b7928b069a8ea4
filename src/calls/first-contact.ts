/** A call to a server that is being reached for the first time: nobody knows its tools yet, so it waits a moment until they are. */
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import { typedPrefix } from "../../actors/naming.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Ask, Question } from "./ask.ts";

export interface FirstContactPorts {
  readonly catalogue: () => Catalogue;
  readonly clock: Clock;
  /** Its first attempt is under way: it has neither been connected nor failed. */
  readonly isSettling: (server: string) => boolean;
}

const LOOK_MS = 25;
/** What is left of a client's minute beside the default deadline of a call. */
const MOST_MS = 4000;
const INVOKE = "mcp_invoke_tool";

/** The server that a call is meant for and whose tools nobody knows. */
function unknownServer(catalogue: Catalogue, { name, arguments: args }: Question): string | undefined {
  if (catalogue.names.has(name) && name !== INVOKE) return undefined;
  const named = name === INVOKE ? args["server_name"] : undefined;
  if (typeof named === "string") {
    const server = serverOf(catalogue, named.trim());
    return server?.offers.size === 0 ? server.name : undefined;
  }
  if (catalogue.naming !== "prefixed") return undefined;
  for (const { name: server, offers } of catalogue.servers.values())
    if (offers.size === 0 && name.startsWith(typedPrefix(server))) return server;
  return undefined;
}

export function withFirstContact(ask: Ask, { catalogue, clock, isSettling }: FirstContactPorts): Ask {
  const met = async (server: string, question: Question): Promise<void> => {
    const until = clock.now() + MOST_MS;
    const isKnown = () => (serverOf(catalogue(), server)?.offers.size ?? 0) > 0;
    while (!isKnown() && isSettling(server) && clock.now() < until && question.signal?.aborted !== true)
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
  };
  return (question) => {
    const server = unknownServer(catalogue(), question);
    return server !== undefined && isSettling(server) ? met(server, question).then(() => ask(question)) : ask(question);
  };
}
