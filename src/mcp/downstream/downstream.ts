/** One connection to one downstream MCP server, as the rest of the program sees it. Nothing here knows of actors or the log. */
import type { StopSignal } from "../stop.ts";
import type { PromptDefinition, ResourceList, ToolDefinition } from "./definitions.ts";

/** How to reach a server: every reference is already resolved. */
export type Target =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Added to the allow-listed variables of our own environment. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly kind: "http";
      readonly url: string;
      /** `auto` tries Streamable HTTP and falls back to legacy SSE. */
      readonly mode: "auto" | "streamable-http" | "sse";
      readonly headers: Readonly<Record<string, string>>;
      /** Named by an agent: only public addresses are reached, at every request and redirect. */
      readonly guarded?: true;
    };

export interface Introduction {
  /** What to remember and give back as `eraHint` next time. */
  readonly era: "legacy" | "modern";
  /** The server did not answer the question for its era in time, so it was taken for a legacy one: not worth remembering. */
  readonly eraGuessed?: true;
  readonly protocolVersion: string;
  /** `stdio`, `streamable-http` or `sse`: what was used in the end. */
  readonly transport: string;
  readonly serverInfo: { readonly name: string; readonly version: string; readonly title?: string; readonly description?: string };
  readonly instructions?: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** One leg of something that a server may answer with a question first. */
export interface RequestLeg {
  /** Passed through as the request's `_meta` (trace context and the like), without our own keys. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Aborting sends `notifications/cancelled` (or closes the stream) and goes on listening for an answer. */
  readonly signal?: StopSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Of a further leg: the answers to the round before, by key, and the state that came with it, byte for byte. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  /** What may be answered besides a result; whatever is left out is not announced to the server. */
  readonly accepts?: { readonly questions?: boolean; readonly tasks?: boolean };
}
export interface CallRequest extends RequestLeg {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Any request but a tool call. Only those for a prompt or a resource may be answered with questions, and none with a task. */
export interface DownstreamRequest extends RequestLeg {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * What became of a request. There is no time-out in here: deadlines are the caller's, a late answer still resolves. `isElsewhere`: it is the answer of
 * a server that its name has left meanwhile, so nothing that is hidden in it may go to the one that has the name now.
 */
export type CallOutcome =
  | { readonly kind: "result"; readonly result: Readonly<Record<string, unknown>>; readonly isElsewhere?: true }
  | { readonly kind: "rpc_error"; readonly code: number; readonly message: string; readonly data?: unknown; readonly isElsewhere?: true }
  /** It certainly did not reach the server (not connected, connection refused, HTTP 4xx). */
  | {
      readonly kind: "not_sent";
      readonly reason: string;
      readonly status?: number;
      /** A person has to log in, or correct a credential, before anything can be sent: `reason` says so in our words. */
      readonly authorization?: true;
      /** The server cannot know any more what it asked. */
      readonly forgets?: true;
    }
  /** It was (or may have been) sent and no answer will come: reset, HTTP 5xx, the process ended, an unreadable answer. */
  | { readonly kind: "lost"; readonly reason: string; readonly status?: number; readonly isUnread?: true };

/** One thing that a server asks for, as it came: `elicitation/create` and its params, or something that nobody here answers. */
export interface InputRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}
/** As it goes back to the server. */
export interface InputResponse {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}
export interface TaskHandle {
  /** The server's own. */
  readonly taskId: string;
  readonly era: "legacy" | "modern";
  readonly pollIntervalMs?: number;
}

/** The server has answered the request, but not the call. */
export type Interim =
  /** It asks first (2026-07-28): the call is sent once more with the answers. */
  | { readonly kind: "input_required"; readonly requests: Readonly<Record<string, InputRequest>>; readonly requestState?: string }
  /** It goes on in the background. */
  | { readonly kind: "task"; readonly task: TaskHandle };
export type CallReply = CallOutcome | Interim;
export const isInterim = (reply: CallReply): reply is Interim => reply.kind === "input_required" || reply.kind === "task";

/** What a server says of a task of its own, in either generation of tasks. */
export type TaskReport =
  | { readonly kind: "working"; readonly pollIntervalMs?: number }
  /** By keys that are unique in the life of the task. */
  | { readonly kind: "input_required"; readonly requests: Readonly<Record<string, InputRequest>>; readonly pollIntervalMs?: number }
  /** Its outcome, as of a call. */
  | { readonly kind: "ended"; readonly outcome: CallOutcome }
  | { readonly kind: "cancelled" }
  /** The server does not know it (any more). */
  | { readonly kind: "unknown" }
  /** Nothing was learnt this time. */
  | { readonly kind: "failed"; readonly reason: string };

/** Of tasks that calls of a server became. Never reject. `signal`: nobody waits for the answer any more. */
export interface TaskRequests {
  /** Changes nothing on a modern server. An older one that waits for an answer is given the occasion to ask: by `onQuestion`, with the task's id. */
  report(task: TaskHandle, signal?: StopSignal): Promise<TaskReport>;
  /** `not_sent` to an older server, which is answered where it asks. */
  answer(task: TaskHandle, responses: Readonly<Record<string, InputResponse>>, signal?: StopSignal): Promise<CallOutcome>;
  cancel(task: TaskHandle, signal?: StopSignal): Promise<CallOutcome>;
}

/** A question on the open connection of an older server. */
export interface InBandQuestion {
  readonly request: InputRequest;
  /** The task of the server's that it names, if it does. */
  readonly taskId?: string;
  /** Aborted when the server withdraws it or the connection ends. */
  readonly signal: AbortSignal;
}

export interface DownstreamEvents {
  /** Only where `elicitation` was announced. Never rejects. */
  onQuestion?(question: InBandQuestion): Promise<InputResponse>;
  /** The connection is gone (the process ended, the stream broke); every open call has got its outcome. Called once, and not after `close()`. */
  onClosed(reason: string): void;
  /** Debounced by 500 ms, like the two below. */
  onToolsChanged(): void;
  onPromptsChanged(): void;
  /** Of either list: resources or templates. */
  onResourcesChanged(): void;
  /** A resource that somebody subscribed to (or one below it) changed, or may have. Not debounced. */
  onResourceUpdated(uri: string): void;
}

export interface Downstream {
  readonly introduction: Introduction;
  /** The process id of a stdio child. */
  readonly pid?: number;
  /** Never rejects. An `Interim` comes only where `accepts` and the connection's options allow it; from others that answer is an error. */
  call(request: CallRequest): Promise<CallReply>;
  /** Where the server has tasks and we have said that we follow them. */
  readonly tasks?: TaskRequests;
  /** Every page of `tools/list`, with a guard against a cursor that loops. Rejects when the list cannot be had. */
  listTools(): Promise<readonly ToolDefinition[]>;
  /** As `call`. */
  request(request: DownstreamRequest): Promise<CallReply>;
  /** Every page, at most 2,000. Empty when the server has none; undefined when the list cannot be had now. Never rejects. */
  listPrompts(): Promise<readonly PromptDefinition[] | undefined>;
  /** The same of `resources/list` and `resources/templates/list`, each at most 2,000: undefined when one of them cannot be had now. */
  listResources(): Promise<ResourceList | undefined>;
  /** Asks to be told of changes of a resource, until `unsubscribe` or the end of this connection. Never reject. */
  subscribe(uri: string): Promise<CallOutcome>;
  unsubscribe(uri: string): Promise<CallOutcome>;
  /** The last lines of the child's stderr, oldest first; empty for HTTP. */
  stderr(): readonly string[];
  /** Ends the connection and, for stdio, the whole process group. Open calls become `lost`. Resolves when it is gone; never rejects. */
  close(): Promise<void>;
}
