/** Who may come in at all: Host and Origin of every request, the bearer token, and what the token stands for. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Principal } from "../mcp/upstream/backend.ts";

export type Role = "view" | "decide" | "admin";
export interface KnownAgent {
  readonly name: string;
  /** `sha256:<hex>` */
  readonly tokenHash: string;
  readonly profile?: string | undefined;
  readonly host?: boolean | undefined;
}
export interface KnownOperator {
  readonly name: string;
  readonly tokenHash: string;
  readonly roles: readonly Role[];
}
export interface GuardOptions {
  readonly agents: readonly KnownAgent[];
  readonly operators: readonly KnownOperator[];
  /** Beside the loopback names and the address itself; without port, lower case. */
  readonly allowedHosts: readonly string[];
  /** Exact origins, e.g. `https://app.example`. */
  readonly allowedOrigins: readonly string[];
  readonly isLoopback: boolean;
}
export interface Guard {
  /** A finished 403, or undefined when Host and Origin may pass. */
  refuseForeign(request: Request): Response | undefined;
  /** The agent that the token names; on loopback without configured agents everybody is `default`. */
  agentOf(request: Request): Principal | undefined;
  /** The operator that the token names and its roles. */
  operatorOf(request: Request): KnownOperator | undefined;
}

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
const DEFAULT_AGENT: Principal = { agent: "default", profile: "default" };

const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();
const bearerOf = (request: Request): string | undefined => /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
/** `example.org:7420` → `example.org`. */
const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, "");

/** Looks at every entry whatever it has found, so that the time tells nothing. */
function match<T extends { readonly tokenHash: string }>(entries: readonly T[], token: string): T | undefined {
  const hash = hashOf(token);
  let found: T | undefined;
  for (const entry of entries) {
    const expected = Buffer.from(entry.tokenHash.replace(/^sha256:/, ""), "hex");
    if (expected.length === hash.length && timingSafeEqual(expected, hash)) found = entry;
  }
  return found;
}

export function createGuard({ agents, operators, allowedHosts, allowedOrigins, isLoopback }: GuardOptions): Guard {
  const hosts = new Set([...LOOPBACK_HOSTS, ...allowedHosts.map(hostName)]);
  const forbidden = (what: string) =>
    Response.json(
      { error: { code: "refused", message: `${what} Add it to listen.allowedHosts or listen.allowedOrigins if it is yours.` } },
      { status: 403 },
    );
  return {
    refuseForeign(request) {
      const host = request.headers.get("host");
      if (host !== null && !hosts.has(hostName(host))) return forbidden("This Host is not served here.");
      const origin = request.headers.get("origin");
      if (origin === null || allowedOrigins.includes(origin)) return undefined;
      const name = URL.canParse(origin) ? hostName(new URL(origin).host) : "";
      return LOOPBACK_HOSTS.has(name) && isLoopback ? undefined : forbidden("This Origin may not call.");
    },
    agentOf(request) {
      const token = bearerOf(request);
      if (token === undefined) return isLoopback && agents.length === 0 ? DEFAULT_AGENT : undefined;
      const agent = match(agents, token);
      if (agent) return { agent: agent.name, profile: agent.profile ?? "default", ...(agent.host && { host: true as const }) };
      return isLoopback && agents.length === 0 ? DEFAULT_AGENT : undefined;
    },
    operatorOf(request) {
      const token = bearerOf(request);
      return token === undefined ? undefined : match(operators, token);
    },
  };
}
