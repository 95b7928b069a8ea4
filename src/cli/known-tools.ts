/** Servers and their tools as the log knows them, for verbs that read the data folder. */
import type { Accepted, Offer } from "../../actors/catalogue.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { stateAt } from "../audit/state-at.ts";
import type { Reader } from "../log/reader.ts";
import { EXIT, failure } from "./exit.ts";

export interface KnownServer {
  readonly name: string;
  readonly origin: string;
  readonly policy: ServerPolicy;
  /** By `offerKey`. */
  readonly offers: Readonly<Record<string, Offer>>;
  readonly accepted: Readonly<Record<string, Accepted>>;
  readonly disabled: readonly string[];
}

/** In the order of their names, the built-in one left out. */
export async function knownServers(reader: Reader): Promise<readonly KnownServer[]> {
  const { state } = await stateAt(reader, "registry", { position: reader.head.position });
  const { servers } = state as { readonly servers: Readonly<Record<string, KnownServer>> };
  return Object.values(servers)
    .filter(({ origin }) => origin !== "builtin")
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Names are equal without regard to case. Throws a `Failure` (1) that names the servers there are. */
export function serverNamed(servers: readonly KnownServer[], name: string): KnownServer {
  const found = servers.find((server) => server.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const names = servers.map((server) => server.name).join(", ");
  throw failure(EXIT.failed, `there is no server ${name}; the servers are: ${names === "" ? "none yet" : names}`);
}
