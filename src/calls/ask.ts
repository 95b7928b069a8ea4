/** The one way in for every door: admits a call, runs its turn, and waits for its end. */

import { REGISTRY, sessionAddress } from "../../actors/address.ts";
import { mayAsk } from "../../actors/approvals/may-ask.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import { createStop, type StopSignal } from "../mcp/stop.ts";
import type { AskPerson } from "../mcp/upstream/ask-person.ts";
import type { ClientAbilities } from "../mcp/upstream/client-abilities.ts";
import type { Elicit } from "../mcp/upstream/elicit.ts";
import { depthOf } from "../observe/hook-depth.ts";
import type { Runtime } from "../runtime/turn.ts";
import { type AdmissionPorts, type Admitted, type Arguments, admit, type Caller, scopeOf } from "./admission.ts";
import { deniedSoFar } from "./denied.ts";
import { listen, listenWith } from "./listen.ts";
import { narrowedSafely } from "./narrowing.ts";
import type { CallEnd, OpenCall, OpenCalls, Progress } from "./open-calls.ts";
import { waitsForPeople } from "./people-wait.ts";
import { storedEnd } from "./stored-end.ts";
import { timeoutOf } from "./timeout.ts";
import type { CallViews } from "./views.ts";

export interface Question {
  readonly caller: Caller;
  readonly name: string;
  readonly arguments: Arguments;
  /** Passed downstream without our own keys. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
  /** A prompt or a resource as MCP has them: the answer is the server's own, and has no room for notices. */
  readonly native?: true;
  readonly timeoutMs?: number;
  /** What it says of the hook that it comes from, as received: see hook-depth.ts. */
  readonly led?: unknown;
  /** Aborted with reason "cancelled" (explicit) or "disconnected". */
  readonly signal?: StopSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks the client's own person. */
  readonly askPerson?: AskPerson;
  /** What may be answered to the request besides a result; absent: nothing else. */
  readonly abilities?: ClientAbilities;
  readonly elicit?: Elicit;
  /** A client's retry: the answers to our question, unvalidated, and the state that came with it. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  /** Told of the call's id as soon as there is one. */
  readonly onCall?: (call: string) => void;
  /** The door could not even parse the arguments. */
  readonly refusal?: Admitted["refusal"];
}
export interface AskPorts extends AdmissionPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf">;
  /** 128 unguessable bits as text. */
  readonly randomId: () => string;
  readonly openCalls: OpenCalls;
  readonly views: CallViews;
  readonly now: () => number;
}
export type Ask = (question: Question) => Promise<CallEnd>;

const KEY_LIFETIME_MS = 86_400_000;
const MAX_KEY_LENGTH = 255;
const KEY_REFUSAL = {
  length: { code: "invalid_arguments", rule: "idempotency-key", reason: `an idempotency key has 1 to ${MAX_KEY_LENGTH} characters` },
  reused: {
    code: "invalid_arguments",
    rule: "idempotency-key-reused",
    reason: "this idempotency key was used for another call; take a new key",
  },
} as const;

const LEFT_BEFORE: CallEnd = {
  call: "",
  certainty: "not_applied",
  code: "cancelled",
  reason: "the client had left before it was asked",
  notices: [],
};

const waitingOf = ({ caller, signal }: Question) => ({ session: caller.session, ...(signal && { signal }) });

export function createAsk(ports: AskPorts): Ask {
  const { runtime, openCalls, views } = ports;

  /** A second request with the same key joins the running call or gets the stored outcome. */
  const repeated = (key: string, question: Question, { receivedDigest }: Admitted) => {
    const { caller } = question;
    const running = openCalls.byKey(caller.agent, key);
    if (running) {
      if (running.keyDigest !== receivedDigest) return { refusal: KEY_REFUSAL.reused };
      question.onCall?.(running.id);
      return { end: listen(running, waitingOf(question), runtime.enter) };
    }
    const earlier = views.byKey(caller.agent, key, ports.now() - KEY_LIFETIME_MS);
    if (!earlier) return undefined;
    if (earlier.keyDigest !== receivedDigest) return { refusal: KEY_REFUSAL.reused };
    const stored = storedEnd(earlier, views);
    return stored && { end: Promise.resolve(stored) };
  };

  return async (question) => {
    const { signal, meta, onProgress, askPerson, abilities, elicit, idempotencyKey, native } = question;
    if (signal?.aborted) return LEFT_BEFORE;
    const caller = narrowedSafely(question.caller, ports.redact);
    const catalogue = runtime.stateOf(REGISTRY) as Catalogue; // durable or not: by this it is decided
    const depth = question.led === undefined ? 0 : depthOf(question.led, ports.digest);
    const asking = { ...caller, isKeyed: idempotencyKey !== undefined, depth };
    let admitted = admit(question.name, question.arguments, asking, catalogue, ports);
    if (question.refusal) admitted = { ...admitted, refusal: question.refusal };
    const key = idempotencyKey === undefined ? undefined : ports.digest(idempotencyKey); // the text itself may be anything
    if (idempotencyKey !== undefined && key !== undefined && admitted.receivedDigest !== "") {
      if (idempotencyKey.length < 1 || idempotencyKey.length > MAX_KEY_LENGTH) admitted = { ...admitted, refusal: KEY_REFUSAL.length };
      else {
        const before = repeated(key, question, admitted); // also when it would be refused by now
        if (before?.end) return before.end;
        if (before?.refusal) admitted = { ...admitted, refusal: before.refusal };
      }
    }
    const timeoutMs = timeoutOf(catalogue, admitted.name, question);
    const keyed = key !== undefined && !admitted.refusal ? { key, keyDigest: admitted.receivedDigest } : undefined;
    const isPrompt = catalogue.names.get(admitted.name)?.kind === "prompt";
    const over = new AbortController();
    let callId = "";
    const { promise, resolve } = Promise.withResolvers<CallEnd>();
    try {
      await runtime.enter(sessionAddress(caller.session), ({ id, now }) => {
        callId = id("c");
        question.onCall?.(callId);
        const open: OpenCall = {
          id: callId,
          agent: caller.agent,
          session: caller.session,
          ...scopeOf(caller),
          name: admitted.name,
          ...(depth > 0 && { depth }),
          ...(admitted.via && { via: admitted.via }),
          ...(isPrompt && { kind: "prompt" as const }),
          ...(native && { native }),
          arguments: admitted.arguments,
          timeoutMs,
          ...(admitted.revealedAt !== undefined && { revealedAt: admitted.revealedAt }),
          waiters: new Set(),
          stop: createStop(),
          ...(meta && { meta }),
          ...(onProgress && { onProgress }),
          ...(askPerson && { askPerson, answered: over.signal }),
          ...(abilities && { abilities }),
          ...(elicit && { elicit }),
          ...keyed,
          ...(admitted.deliver && { result: admitted.deliver.result, capability: "idempotent" }), // it settles in the turn that asks
        };
        openCalls.add(open);
        listenWith(open, waitingOf(question), runtime.enter, resolve);
        const session = runtime.stateOf(sessionAddress(caller.session)) as SessionState;
        const asking = mayAsk(catalogue, { ...session, narrow: caller.narrow }, admitted.name) && {
          approvalId: `a_${ports.randomId()}`,
          ...waitsForPeople(question),
        };
        const narrowed = caller.narrow && { narrow: caller.narrow };
        return {
          ...command(callId, admitted, keyed, timeoutMs),
          ...(native && { native }),
          ...narrowed,
          ...deniedSoFar(runtime, { ...admitted, agent: caller.agent }, now),
          ...asking,
        };
      });
    } catch {
      openCalls.end({ call: callId, certainty: "not_applied", code: "internal", notices: [] }); // the turn recorded nothing but turn.failed
    }
    if (askPerson) void promise.then(() => over.abort());
    return promise;
  };
}

function command(call: string, admitted: Admitted, keyed: { key: string; keyDigest: string } | undefined, timeoutMs: number) {
  const { name, via, digest, redacted, refusal, deliver, observed } = admitted;
  return {
    type: "ask",
    call,
    name,
    digest,
    timeoutMs,
    payload: refusal ? { arguments: redacted, reason: refusal.reason } : redacted,
    ...(via && { via }),
    ...keyed,
    ...(refusal && { refusal: { code: refusal.code, rule: refusal.rule } }),
    ...(deliver && { deliver }),
    ...(observed && { observed }),
  };
}
