/** How the daemon reaches a server: who it says it is, what it knows of the server's era, and where it must not go. */
import type { Config } from "../config/schema.ts";
import type { ConnectionPorts, Wanted } from "../effects/wanted.ts";
import type { Log } from "../log/log.ts";
import type { Authorization } from "../mcp/downstream/authorization.ts";
import { connect } from "../mcp/downstream/connect.ts";
import { resolveName } from "../net/guard.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { VERSION } from "../version.ts";
import { eraHintOf } from "./era-hint.ts";

export interface ConnectWith {
  readonly log: Log;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redact: (text: string) => string;
  /** Whether servers that an agent named may have private addresses. */
  readonly allowPrivate: () => boolean;
  /** Where a server's tokens come from, if it asks for any. */
  readonly authorizationOf: (wanted: Wanted) => Authorization | undefined;
}

const CONNECT_TIMEOUT_MS = 30_000;

export function connectWith({ log, environment, redact, allowPrivate, authorizationOf }: ConnectWith): ConnectionPorts["connect"] {
  const guarded = createGuardedFetch({ resolve: resolveName, allowPrivate });
  return (wanted, events, signal) =>
    connect(wanted.target, {
      clientInfo: { name: "toolcrib", version: VERSION },
      events,
      signal,
      eraHint: eraHintOf(log, wanted.id),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      environment,
      marker: log.id,
      redact,
      authorization: authorizationOf(wanted),
      elicitation: wanted.elicitation && events.onQuestion !== undefined, // nothing is announced that nobody would answer
      tasks: wanted.tasks,
      guardedFetch: (url, init) => guarded(url instanceof Request ? url.url : url, init),
    });
}

/** Addresses of the operator's servers, as written, by name. */
export const urlsOf = ({ mcpServers }: Config): Record<string, string> =>
  Object.fromEntries(Object.entries(mcpServers).flatMap(([name, entry]) => (entry.kind === "http" ? [[name, entry.url]] : [])));
