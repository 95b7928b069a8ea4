/** What the upstream MCP edge needs from behind it: sessions, tools, and what MCP has beside them. The product implements it once; conformance tests mount the same edge over a fixture. */

import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { PromptDefinition, ResourceDefinition, TemplateDefinition, ToolDefinition } from "../downstream/definitions.ts";
import type { Progress } from "../downstream/downstream.ts";
import type { StopSignal } from "../stop.ts";
import type { AskPerson } from "./ask-person.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import type { Elicit } from "./elicit.ts";

/** Who is on the other end, as its bearer token (or loopback without configured agents) says. */
export interface Principal {
  readonly agent: string;
  readonly profile: string;
  /** A program that runs the agent, and may record what its user said. */
  readonly host?: true;
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
  /** As the client that opened it names itself. */
  readonly client?: string;
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

/** A call as it comes in. */
export interface Incoming {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The request's `_meta`, as received. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}
export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What may be answered besides a complete result. */
  readonly client: ClientAbilities;
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
  /** Shows a form in the middle of the request. Legacy clients only, and not to a call that is plain: modern ones get `input_required`. */
  readonly elicit?: Elicit;
  /** The same with the form of an approval; there whenever `elicit` is. */
  readonly askPerson?: AskPerson;
  /** Absent on the hand-written path: lets a tool that is not plain send log messages and requests of its own to the client. */
  readonly sdk?: ServerContext;
}

/**
 * A `CallToolResult` as it goes on the wire. Where the request declared it, also with `resultType`
 * - `task`: the flat handle `{ taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }`;
 * - `input_required`: `{ inputRequests, requestState }`, and the same request comes again with the answers.
 */
export type ToolResult = Readonly<Record<string, unknown>>;

export type ChangedSessions = Pick<ReadonlySet<string>, "has">;

/** What a request brings along beside its params. */
export type Brought = Pick<ToolCall, "client" | "meta" | "signal" | "onProgress" | "inputResponses" | "requestState" | "elicit">;

/** `resources` stands for both of its lists. */
export type ChangingList = "tools" | "prompts" | "resources";

export interface Listings {
  readonly prompts: PromptDefinition;
  readonly resources: ResourceDefinition;
  readonly templates: TemplateDefinition;
}
export interface Page<T> {
  readonly entries: readonly T[];
  readonly nextCursor?: string;
  readonly ttlMs: number;
}
/** A result as it goes on the wire, or what is told instead: a JSON-RPC error. */
export type Answer =
  | { readonly ok: true; readonly result: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

export interface CompletionRequest {
  readonly ref: { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: Readonly<Record<string, unknown>>;
}
/** A resource that a client hears of. */
export type Watching = { readonly ok: true; stop(): void } | Extract<Answer, { ok: false }>;

/** Only what the session is authorised for; everything else is unknown. Nothing here rejects. */
export interface Surface {
  /** Undefined: the cursor is none of ours. */
  list<K extends keyof Listings>(session: Session, what: K, cursor: string | undefined): Page<Listings[K]> | undefined;
  /** The answer of this and the next may be `input_required`. */
  getPrompt(session: Session, name: string, args: Readonly<Record<string, string>>, brought: Brought): Promise<Answer>;
  readResource(session: Session, uri: string, brought: Brought): Promise<Answer>;
  complete(session: Session, request: CompletionRequest, brought: Brought): Promise<Answer>;
  /** Calls back when the resource has changed, or may have. */
  watch(session: Session, uri: string, heard: () => void): Promise<Watching>;
  /** Calls back when a list has changed, with the sessions that see it; returns the unsubscriber. */
  onChanged(listener: (list: Exclude<ChangingList, "tools">, sessions: ChangedSessions) => void): () => void;
}

/** Calls that went on as tasks, by the ids of their handles. Nothing here rejects. Undefined: the session has no such task. */
export interface Tasks {
  /** The handle as it is now, with `result`, `error` or `inputRequests` where its status has one. */
  get(session: Session, id: string, client: ClientAbilities): Promise<Answer | undefined>;
  /** Answers to its `inputRequests`, by key, unvalidated. Keys that nobody asked for are none of a client's concern. */
  update(
    session: Session,
    id: string,
    inputResponses: Readonly<Record<string, unknown>>,
    client: ClientAbilities,
  ): Promise<Answer | undefined>;
  /** A wish; fine also when the task has ended. */
  cancel(session: Session, id: string): Promise<Answer | undefined>;
}

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
  /** `request` is the request's `_meta`, as received; `meta` becomes the list's. */
  listTools(
    session: Session,
    request?: Readonly<Record<string, unknown>>,
  ): {
    readonly tools: readonly ToolDefinition[];
    readonly ttlMs: number;
    readonly meta?: Readonly<Record<string, unknown>>;
  };
  /** Never rejects: our own verdicts are results with `isError`. */
  callTool(session: Session, call: ToolCall): Promise<ToolResult>;
  /** True when `callTool` alone answers this call of this client: no server-to-client request or log message in between. Such calls take the hand-written path. */
  isPlain(session: Session, call: Incoming, client: ClientAbilities): boolean;
  /** A tool that may be called under this name, listed or not. The same definition is the same object. */
  toolOf(session: Session, name: string): ToolDefinition | undefined;
  /** Calls back with the ids of sessions whose tool list changed; returns the unsubscriber. */
  onToolsChanged(listener: (sessions: ChangedSessions) => void): () => void;
  /** Prompts, resources and completions. */
  readonly surface?: Surface;
  /** Whether a `requestState` is one that this session's agent was given. Left out: whatever comes back is handed on. */
  knowsState?(session: Session, state: string): boolean;
  /** Left out or undefined now: calls never become tasks, and the extension is not advertised. */
  readonly tasks?: Tasks | undefined;
  /** More handlers on the SDK server that was made for this session. */
  extend?(server: Server, session: Session | undefined): void;
}
