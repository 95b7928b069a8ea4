/** The calls that are open in this process: original arguments, who waits, and the result on its way. Nothing of it is durable. */

import type { Capability, Certainty, ErrorCode } from "../../events/call.ts";
import type { Via } from "../../events/delivery.ts";
import type { Narrowing } from "../../events/policy.ts";
import type { Stop } from "../mcp/stop.ts";
import type { AskPerson } from "../mcp/upstream/ask-person.ts";

const STEP_MS = 25;

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
export type ToolResult = Readonly<Record<string, unknown>>;

/** Of JSON-RPC. Scrubbed where a server said it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** How a call ended, as the doors tell it. */
export interface CallEnd {
  readonly call: string;
  readonly certainty: Certainty;
  /** Given when there is no result of the tool. */
  readonly code?: ErrorCode;
  readonly reason?: string;
  /** Of a refusal; for the operator, and for the door's status. */
  readonly rule?: string;
  /** The call in doubt that refused or accompanies this one, and since when. */
  readonly twin?: string;
  readonly since?: number;
  /** When it is worth trying again, in milliseconds from its end. */
  readonly retryAfterMs?: number;
  /** People decide on it, or have decided; and until when. */
  readonly approval?: string;
  readonly expiresAt?: number;
  /** Earlier outcomes to tell with this answer. */
  readonly notices: readonly string[];
  readonly result?: ToolResult;
  /** Of a native call: what the server itself said against it. */
  readonly rpcError?: RpcError;
}

export interface Waiter {
  /** Whose answer it will be: notices are told to the call's own session only. */
  readonly session: string;
  answer(end: CallEnd): void;
}

export interface OpenCall {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  readonly profile: string;
  readonly client?: string;
  readonly narrow?: Narrowing;
  readonly name: string;
  /** It asks for a prompt. */
  readonly kind?: "prompt";
  /** A prompt or a resource as MCP has them: whatever the server says goes to the client as it is. */
  readonly native?: true;
  /** As they will be sent: original secrets, unwrapped. Never logged. Hooks may rewrite them before that. */
  arguments: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks the client's own person. */
  readonly askPerson?: AskPerson;
  /** Aborted when its request is answered; given with `askPerson`. */
  readonly answered?: AbortSignal;
  /** How long it may be without a word from the server. */
  readonly timeoutMs: number;
  readonly key?: string;
  readonly keyDigest?: string;
  readonly waiters: Set<Waiter>;
  /** Of the request to the server. */
  readonly stop: Stop;
  /** How it was reached, when inside a management tool. */
  readonly via?: Via;
  /** How many hooks, each called from within another, have led to it. */
  readonly depth?: number;
  /** Scrubbed: what the agent will read. */
  result?: ToolResult;
  /** Scrubbed: what its tool answered before the call went out again. */
  saidBefore?: ToolResult;
  /** Scrubbed: how the server turned a native call down. */
  rpcError?: RpcError;
  /** Known once it was sent. */
  capability?: Capability;
}

export interface OpenCalls {
  add(call: OpenCall): void;
  get(id: string): OpenCall | undefined;
  /** The running call that holds this idempotency key of this agent. */
  byKey(agent: string, key: string): OpenCall | undefined;
  /** Hands the end to everybody who waits and forgets the call. The notices go to one who waits in the call's own session: false when there is none. */
  end(end: CallEnd): boolean;
  readonly size: number;
}

export function createOpenCalls(): OpenCalls {
  const calls = new Map<string, OpenCall>();
  const keys = new Map<string, OpenCall>();
  const keyOf = (agent: string, key: string) => `${agent}\n${key}`;
  return {
    add(call) {
      calls.set(call.id, call);
      if (call.key !== undefined) keys.set(keyOf(call.agent, call.key), call);
    },
    get: (id) => calls.get(id),
    byKey: (agent, key) => keys.get(keyOf(agent, key)),
    end(end) {
      const call = calls.get(end.call);
      if (!call) return false;
      calls.delete(end.call);
      if (call.key !== undefined) keys.delete(keyOf(call.agent, call.key));
      const teller = [...call.waiters].find(({ session }) => session === call.session);
      for (const waiter of call.waiters) waiter.answer(waiter === teller ? end : { ...end, notices: [] });
      return teller !== undefined;
    },
    get size() {
      return calls.size;
    },
  };
}

/** Waits until no call is open any more, at most `limitMs`. */
export async function settled(open: Pick<OpenCalls, "size">, limitMs: number): Promise<void> {
  for (let waited = 0; open.size > 0 && waited < limitMs; waited += STEP_MS) await Bun.sleep(STEP_MS);
}
