/** The HTTP door: one router for the network and for the local socket. It holds nothing but the order of checks. */

import type { Principal } from "../mcp/upstream/backend.ts";
import type { Edge } from "../mcp/upstream/edge.ts";
import type { Guard, KnownOperator, Role } from "./guard.ts";
import type { Rest } from "./rest.ts";

/** What answers below a path; undefined: not mine. */
export type Routes = (request: Request, url: URL, operator: KnownOperator) => Promise<Response | undefined>;

export interface HttpPorts {
  readonly guard: () => Guard;
  readonly edge: Edge;
  readonly rest: Rest;
  /** Operator routes below /v1, and the reading ones below /debug. */
  readonly operator: Routes;
  readonly debug: Routes;
  readonly version: () => Response;
  readonly metrics: () => Response;
  readonly ready: (verbose: boolean) => Response;
  /** False until recovery is done: only health answers. */
  readonly isOpen: () => boolean;
  readonly isLoopback: boolean;
  /** How long an agent's, or an operator's, request has to wait: milliseconds. */
  readonly waitOf: (who: Principal | KnownOperator) => number | undefined;
}
export interface HttpDoor {
  fetch(request: Request, server: Bun.Server<undefined>): Promise<Response>;
  /** The local socket: whoever may open it is the operator (file permissions). */
  fetchLocal(request: Request, server: Bun.Server<undefined>): Promise<Response>;
}

const LOCAL_OPERATOR: KnownOperator = { name: `cli:${process.getuid?.() ?? "local"}`, tokenHash: "", roles: ["view", "decide", "admin"] };
const LOCAL_AGENT: Principal = { agent: "default", profile: "default" };
const TURNS = /^\/v1\/sessions\/([^/]+)\/turns$/;
const TOOL_CALL = /^\/v1\/tools\/([^/]+)\/call$/;

const failure = (status: number, code: string, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error: { code, message, certainty: "not_applied", retryable: status === 503 } }, { status, headers });
/** A second is the smallest time that the header can say. */
const tooMany = (retryAfterMs: number): Response =>
  Response.json(
    {
      error: {
        code: "rate_limited",
        message: `Too many requests with this token: the next one is answered in ${Math.ceil(retryAfterMs / 1000)} s.`,
        certainty: "not_applied",
        retryable: true,
        retryAfterMs,
      },
    },
    { status: 429, headers: { "retry-after": String(Math.ceil(retryAfterMs / 1000)) } },
  );
const NO_AGENT =
  'An agent\'s token is needed, as "Authorization: Bearer TOKEN"; the operator puts its hash into agents[].tokenHash of the configuration.';
const unauthorised = (message: string) => failure(401, "auth_required", message, { "www-authenticate": 'Bearer realm="toolcrib"' });

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}

export function createHttpDoor(ports: HttpPorts): HttpDoor {
  /** Lets in whoever may come now. */
  const admitted = (who: Principal | KnownOperator, answer: () => Promise<Response>): Promise<Response> => {
    const retryAfterMs = ports.waitOf(who);
    return retryAfterMs === undefined ? answer() : Promise.resolve(tooMany(retryAfterMs));
  };
  const asOperator = async (request: Request, url: URL, operator: KnownOperator | undefined, role: Role, routes: Routes) => {
    if (!operator)
      return unauthorised("This route needs an operator's token (the first one is in keys/operator.token of the data folder).");
    if (!operator.roles.includes(role) && !operator.roles.includes("admin")) return failure(403, "refused", `This needs the role ${role}.`);
    return (await routes(request, url, operator)) ?? notFound();
  };
  const notFound = () =>
    failure(404, "tool_not_found", "There is no such route. MCP is at /mcp, the same tools without it are at /v1/tools.");

  const route = async (
    request: Request,
    server: Bun.Server<undefined>,
    agentOf: () => Principal | undefined,
    operatorOf: () => KnownOperator | undefined,
  ): Promise<Response> => {
    const url = new URL(request.url);
    const { pathname } = url;
    if (pathname === "/mcp") {
      if (!ports.isOpen()) return failure(503, "overloaded", "toolcrib is starting.", { "retry-after": "1" });
      const principal = agentOf();
      return principal ? admitted(principal, () => ports.edge.fetch(request, principal, server)) : unauthorised(NO_AGENT);
    }
    if (pathname === "/healthz") return new Response("ok\n");
    if (pathname === "/readyz") return ports.ready(url.searchParams.has("verbose"));
    if (pathname === "/version") return ports.version();
    if (pathname === "/metrics")
      return ports.isLoopback || operatorOf() ? ports.metrics() : unauthorised("Off loopback the metrics need an operator's token.");
    if (!ports.isOpen()) return failure(503, "overloaded", "toolcrib is starting.", { "retry-after": "1" });
    if (pathname === "/v1/tools" && request.method === "GET") {
      const principal = agentOf();
      return principal ? admitted(principal, () => ports.rest.tools(url, principal)) : unauthorised(NO_AGENT);
    }
    if (!isDecodable(pathname))
      return failure(400, "invalid_arguments", "The path cannot be decoded: every % has to be followed by two hex digits of UTF-8.");
    const tool = TOOL_CALL.exec(pathname)?.[1];
    const session = TURNS.exec(pathname)?.[1];
    if (request.method !== "POST" && (tool ?? session) !== undefined)
      return failure(405, "invalid_arguments", "This route takes POST with a JSON body.", { allow: "POST" });
    if (tool !== undefined) {
      const principal = agentOf();
      return principal ? admitted(principal, () => ports.rest.call(decodeURIComponent(tool), request, principal)) : unauthorised(NO_AGENT);
    }
    if (session !== undefined) {
      const who = operatorOf() ?? agentOf();
      return who
        ? admitted(who, () => ports.rest.turn(decodeURIComponent(session), request, who))
        : unauthorised("An operator's token is needed, or that of an agent whose entry says host: true.");
    }
    if (pathname.startsWith("/v1/")) {
      const operator = operatorOf();
      const answer = () => asOperator(request, url, operator, request.method === "GET" ? "view" : "decide", ports.operator);
      return operator ? admitted(operator, answer) : answer();
    }
    if (pathname === "/debug" || pathname.startsWith("/debug/")) {
      if (request.method !== "GET") return failure(405, "refused", "/debug only reads.", { allow: "GET" });
      return asOperator(request, url, operatorOf(), "view", ports.debug);
    }
    return notFound();
  };

  const guarded = async (answer: () => Promise<Response>): Promise<Response> => {
    try {
      return await answer();
    } catch {
      return failure(500, "internal", "Something went wrong inside toolcrib; nothing was acknowledged.");
    }
  };
  return {
    fetch: (request, server) =>
      guarded(async () => {
        const guard = ports.guard();
        const foreign = guard.refuseForeign(request);
        if (foreign) return foreign;
        return route(
          request,
          server,
          () => guard.agentOf(request),
          () => guard.operatorOf(request),
        );
      }),
    fetchLocal: (request, server) =>
      guarded(() =>
        route(
          request,
          server,
          () => LOCAL_AGENT,
          () => LOCAL_OPERATOR,
        ),
      ),
  };
}
