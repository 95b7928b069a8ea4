/** The calls that are open in this process: original arguments, who waits, and the result on its way. Nothing of it is durable. */

import type { AskedQuestion } from "../../actors/elicit/notes.ts";
import type { QuestionsCommand } from "../../actors/questions-commands.ts";
import type { Capability, Certainty, ErrorCode } from "../../events/call.ts";
import type { Via } from "../../events/delivery.ts";
import type { Narrowing } from "../../events/policy.ts";
import type { InputResponse } from "../mcp/downstream/downstream.ts";
import type { Stop } from "../mcp/stop.ts";
import type { AskPerson } from "../mcp/upstream/ask-person.ts";
import type { ClientAbilities } from "../mcp/upstream/client-abilities.ts";
import type { Elicit } from "../mcp/upstream/elicit.ts";

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
  /** The call has not ended: it waits for an answer to this question or for a decision, or goes on as this task. */
  readonly parked?: Parked;
  /** Earlier outcomes to tell with this answer. */
  readonly notices: readonly string[];
  readonly result?: ToolResult;
  /** Of a native call: what the server itself said against it. */
  readonly rpcError?: RpcError;
  /** To be told beside a failure, in our words. */
  readonly note?: string;
}

export interface Parked {
  readonly question?: string;
  readonly task?: string;
  readonly approval?: string;
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
  /** They hold what markers stood for, which is good for this place only. */
  readonly revealedAt?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks the client's own person. */
  readonly askPerson?: AskPerson;
  /** Aborted when its request is answered; given with `askPerson`. */
  readonly answered?: AbortSignal;
  /** What may be answered to its request besides a result; absent: nothing else. */
  readonly abilities?: ClientAbilities;
  /** Shows a form to the client's own person in the middle of the request. */
  readonly elicit?: Elicit;
  /** How long it may be without a word from the server. */
  readonly timeoutMs: number;
  readonly key?: string;
  readonly keyDigest?: string;
  readonly waiters: Set<Waiter>;
  /** Of the request to the server. */
  readonly stop: Stop;
  /** Why the last one who waited for it has left. */
  left?: unknown;
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
  /** What its next request carries besides the arguments, and the question that this answers. */
  leg?: Leg;
  /** What its server asked so far, and how that was answered. */
  records?: readonly AskedQuestion[];
  /** What is to be told beside a failure, in our words. */
  note?: string | undefined;
  /** While its server waits for an answer, no time runs out; returns the way to go on. */
  pause?: () => () => void;
}

export interface Leg {
  readonly inputResponses: Readonly<Record<string, InputResponse>>;
  readonly requestState?: string;
  readonly question?: Forgettable;
}
/** A question that its server may have forgotten when the answer comes. */
export type Forgettable = Omit<Extract<QuestionsCommand, { readonly type: "forgotten" }>, "type" | "reason">;

export interface OpenCalls {
  add(call: OpenCall): void;
  get(id: string): OpenCall | undefined;
  /** The running call that holds this idempotency key of this agent. */
  byKey(agent: string, key: string): OpenCall | undefined;
  /** Answers everybody who waits, and keeps the call. False when nobody waited in the call's own session. */
  park(end: CallEnd): boolean;
  /** Hands the end to everybody who waits and forgets the call. The notices go to one who waits in the call's own session: false when there is none. */
  end(end: CallEnd): boolean;
  all(): Iterable<OpenCall>;
  readonly size: number;
}

export function createOpenCalls(): OpenCalls {
  const calls = new Map<string, OpenCall>();
  const keys = new Map<string, OpenCall>();
  const keyOf = (agent: string, key: string) => `${agent}\n${key}`;
  const tell = (call: OpenCall | undefined, end: CallEnd): boolean => {
    if (!call) return false;
    let teller: Waiter | undefined;
    for (const waiter of call.waiters) if (waiter.session === call.session) teller ??= waiter;
    const { waiters } = call;
    for (const waiter of waiters) {
      waiters.delete(waiter); // who answers it may look who still waits
      waiter.answer(waiter === teller ? end : { ...end, notices: [] });
    }
    return teller !== undefined;
  };
  return {
    add(call) {
      calls.set(call.id, call);
      if (call.key !== undefined) keys.set(keyOf(call.agent, call.key), call);
    },
    get: (id) => calls.get(id),
    byKey: (agent, key) => keys.get(keyOf(agent, key)),
    park: (end) => tell(calls.get(end.call), end),
    end(end) {
      const call = calls.get(end.call);
      if (!call) return false;
      calls.delete(end.call);
      if (call.key !== undefined) keys.delete(keyOf(call.agent, call.key));
      return tell(call, end);
    },
    all: () => [...calls.values()],
    get size() {
      return calls.size;
    },
  };
}

/** Waits until no call is open any more, at most `limitMs`. */
export async function settled(open: Pick<OpenCalls, "size">, limitMs: number): Promise<void> {
  for (let waited = 0; open.size > 0 && waited < limitMs; waited += STEP_MS) await Bun.sleep(STEP_MS);
}
