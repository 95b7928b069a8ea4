/** What the upstream MCP edge needs from behind it. The product implements it once; conformance tests mount the same edge over a fixture. */

import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { Progress, ToolDefinition } from "../downstream/downstream.ts";
import type { StopSignal } from "../stop.ts";

/** Who is on the other end, as its bearer token (or loopback without configured agents) says. */
export interface Principal {
  readonly agent: string;
  readonly profile: string;
}

export interface ClientDescription {
  readonly name: string;
  readonly version: string;
}

const REFUSED = "SessionRefused";

/** What `openSession` rejects with when the agent may not have (another) session; `message` is shown to it. */
export function sessionRefusal(message: string): Error {
  const error = new Error(message);
  error.name = REFUSED;
  return error;
}

/** True for what `sessionRefusal` made. */
export function isSessionRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === REFUSED;
}

/** A session of ours: what an agent's calls belong to. Its id is `s_…`. */
export interface Session {
  readonly id: string;
  readonly name: string;
  readonly principal: Principal;
}

export interface SessionRequest {
  readonly principal: Principal;
  /** What the agent or its header asked for; without it the client or the connection gives one. */
  readonly name?: string;
  readonly client: ClientDescription;
  readonly era: "legacy" | "modern";
  /** Legacy: the `Mcp-Session-Id` drawn by the edge, and the `initialize` parameters to keep for a restart. Streams of any era: an id of their own. */
  readonly connection?: { readonly id: string; readonly initialize: Readonly<Record<string, unknown>> };
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The request's `_meta`, as received. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Aborted with reason `"cancelled"` on an explicit cancel, `"disconnected"` when the client is gone. */
  readonly signal?: StopSignal;
  /** Given only when the client sent a progress token. */
  readonly onProgress?: (progress: Progress) => void;
  /** Modern: the answers to the `inputRequests` of the round before, unvalidated. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** Modern: the `requestState` of the round before, as the client sent it back. */
  readonly requestState?: string;
  /** Absent on the hand-written path: lets a tool that is not plain send log messages and requests of its own to the client. */
  readonly sdk?: ServerContext;
}

/** A `CallToolResult` as it goes on the wire. */
export type ToolResult = Readonly<Record<string, unknown>>;

export type ChangedSessions = Pick<ReadonlySet<string>, "has">;

export interface Backend {
  readonly info: { readonly name: string; readonly version: string; readonly title?: string };
  /** Capabilities advertised in both eras, e.g. `{ tools: { listChanged: true } }`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  instructions(session: Session | undefined): string;
  /** Finds or makes the session; asked again for the same name it gives the same one. Rejects with a `sessionRefusal` to say why not. */
  openSession(request: SessionRequest): Promise<Session>;
  /**
   * A legacy connection that this process does not have in memory: after a restart it is known to the log. Closed or foreign: undefined.
   * Also asked when the agent's profile has changed; the session's `principal` is then the new one.
   */
  resumeSession(
    connection: string,
    principal: Principal,
  ): Promise<{ session: Session; initialize: Readonly<Record<string, unknown>> } | undefined>;
  /** The client ended the legacy connection (DELETE). */
  closeConnection(session: Session, connection: string): Promise<void>;
  /** `meta` becomes the list's `_meta`. */
  listTools(session: Session): {
    readonly tools: readonly ToolDefinition[];
    readonly ttlMs: number;
    readonly meta?: Readonly<Record<string, unknown>>;
  };
  /** Never rejects: our own verdicts are results with `isError`. */
  callTool(session: Session, call: ToolCall): Promise<ToolResult>;
  /** True when `callTool` alone answers this tool: no server-to-client request or log message in between. Such calls take the hand-written path. */
  isPlain(session: Session, tool: string): boolean;
  /** A tool that may be called under this name, listed or not. The same definition is the same object. */
  toolOf(session: Session, name: string): ToolDefinition | undefined;
  /** Calls back with the ids of sessions whose tool list changed; returns the unsubscriber. */
  onToolsChanged(listener: (sessions: ChangedSessions) => void): () => void;
  /** More handlers (prompts, resources, …) on the SDK server that was made for this session. */
  extend?(server: Server, session: Session | undefined): void;
}
