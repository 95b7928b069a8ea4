/** Asks the hooks about one call before it is sent, in their order: the first that blocks ends it, each sees what the one before left. */
import { REGISTRY } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import type { Checking } from "../../actors/checking.ts";
import { hookKey, hookRule } from "../../actors/gates/hook.ts";
import type { SessionCommand, SessionState } from "../../actors/session-commands.ts";
import type { Hook, Verdict } from "../../events/policy.ts";
import type { Admitted, Arguments } from "../calls/admission.ts";
import { deniedSoFar } from "../calls/denied.ts";
import type { OpenCall, OpenCalls } from "../calls/open-calls.ts";
import { waitsForPeople } from "../calls/people-wait.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import { restore } from "../secrets/restore.ts";
import { createBreaker } from "./breaker.ts";
import { decisionOf, type HookDecision, type RunHook } from "./hook-reply.ts";
import { createSlots } from "./slots.ts";

export interface Consult {
  readonly type: "consult";
  readonly call: string;
  readonly hooks: readonly string[];
}
type Consulted = Extract<SessionCommand, { readonly type: "consulted" }>;
export interface ConsultPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly clock: Clock;
  readonly openCalls: OpenCalls;
  readonly run: RunHook;
  /** The arguments as others may see them, and what the markers in them stand for. */
  readonly cover: (args: Arguments, session: string) => { readonly value: Arguments; readonly originals: ReadonlyMap<string, string> };
  /** What a hook is told of a call besides its arguments. */
  readonly describe: (call: OpenCall) => Readonly<Record<string, unknown>> | undefined;
  /** What the calls of a hook that is asked about this one bring along. */
  readonly passFor: (call: OpenCall) => string;
  readonly look: (call: OpenCall, args: Arguments) => Admitted;
  readonly redact: (text: string) => string;
  /** 128 unguessable bits, should people have to be asked. */
  readonly randomId: () => string;
  readonly count: (hook: string, outcome: string) => void;
}

/** All hooks of one call together. */
const CHAIN_MS = 10_000;
const MAX_WORDS = 500;
const AT_ONCE = 16;

/** What came of asking: `over` when nobody waits any more. */
type Asked =
  | HookDecision
  | { readonly kind: "timeout" }
  | { readonly kind: "exhausted" }
  | { readonly kind: "tripped" }
  | { readonly kind: "spent" }
  | { readonly kind: "over" };

interface Chain {
  readonly verdicts: Verdict[];
  /** Of whoever blocks. */
  words?: string;
  rewritten?: Admitted;
}

export function createConsult(ports: ConsultPorts): (effect: Consult, from: string) => void {
  const { runtime, clock, openCalls, run, redact, count } = ports;
  const rules = () => runtime.stateOf(REGISTRY) as Catalogue;
  const breaker = createBreaker(clock);
  const slots = createSlots(AT_ONCE);

  async function ask(hook: Hook, call: OpenCall, input: object, over: AbortSignal): Promise<Asked> {
    const key = hookKey(hook);
    const own = `${key}\n${call.agent}`; // what it says no to is one agent's matter, what it fails at everybody's
    const isOver = (): Asked => (over.reason === "exhausted" ? { kind: "exhausted" } : { kind: "over" });
    const free = await slots.take(over);
    if (!free) return isOver();
    const stop = new AbortController();
    let disarm: (() => void) | undefined;
    try {
      if (!breaker.mayAsk(key)) return { kind: "tripped" };
      if (!breaker.mayAsk(own)) {
        breaker.left(key);
        return { kind: "spent" };
      }
      const { promise, resolve } = Promise.withResolvers<Asked>();
      over.addEventListener("abort", () => resolve(isOver()), { once: true });
      disarm = clock.after(hook.timeoutMs, () => resolve({ kind: "timeout" }));
      run(hook, input, stop.signal, ports.passFor(call)).then((reply) => resolve(decisionOf(reply)));
      const asked = await promise;
      const isFailure = asked.kind === "failed" || (asked.kind === "timeout" && hook.onTimeout === "block");
      const isSaid = asked.kind === "allow" || asked.kind === "block" || asked.kind === "rewrite";
      if (isFailure) breaker.failed(key);
      else if (isSaid) breaker.succeeded(key);
      else breaker.left(key);
      if (asked.kind === "block") breaker.failed(own);
      else if (isSaid) breaker.succeeded(own);
      else breaker.left(own);
      return asked;
    } finally {
      disarm?.();
      stop.abort();
      free();
    }
  }

  /** False: the call does not go on, or nobody asks any more. */
  async function one(hook: Hook, call: OpenCall, chain: Chain, over: AbortSignal): Promise<boolean> {
    const about = ports.describe(call);
    if (!about) return false; // the tool is gone, which is told of the call
    const covered = ports.cover(chain.rewritten?.arguments ?? call.arguments, call.session);
    const asked = await ask(hook, call, { event: "preToolUse", ...about, arguments: covered.value }, over);
    if (asked.kind === "over") return false;
    const say = (outcome: Verdict["outcome"], reason?: string, words?: string) => {
      chain.verdicts.push({ gate: "hook", outcome, rule: hookRule(hook.name), ...(reason !== undefined && { reason }) });
      if (words !== undefined) chain.words = redact(words).slice(0, MAX_WORDS);
      return outcome !== "deny";
    };
    count(hook.name, asked.kind);
    if (asked.kind === "allow") return say("pass");
    if (asked.kind === "block") return say("deny", "it says no", asked.words);
    if (asked.kind === "failed" || asked.kind === "unusable") return say("deny", redact(asked.reason).slice(0, MAX_WORDS));
    if (asked.kind === "tripped") return say("deny", "it failed too often in the last minute and is not asked now");
    if (asked.kind === "spent") return say("deny", "it said no to this agent too often in the last minute and is not asked now");
    if (asked.kind === "exhausted") return say("deny", `the hooks together took longer than ${CHAIN_MS} ms`);
    if (asked.kind === "timeout") {
      const reason = `it did not answer within ${hook.timeoutMs} ms`;
      return hook.onTimeout === "allow" ? say("warn", reason) : say("deny", reason);
    }
    if (hook.observe) return say("warn", "its arguments are ignored, since it only observes");
    const restored = restore(asked.arguments, (marker) => covered.originals.get(marker));
    if ("refused" in restored) return say("deny", "its arguments name a redacted value that was not in its input");
    chain.rewritten = ports.look(call, restored.value);
    say("pass", "it has rewritten the arguments");
    return chain.rewritten.refusal === undefined;
  }

  async function consult(call: OpenCall, checking: () => Checking | undefined, chain: Chain, over: AbortSignal): Promise<void> {
    const done = new Set<string>();
    for (let by = rules(); ; ) {
      const { rewritten } = chain;
      if (rewritten && by !== rules()) chain.rewritten = ports.look(call, rewritten.arguments); // they have changed since
      by = rules();
      const about = (chain.rewritten ? chain.rewritten.observed?.hooks : checking()?.observed?.hooks) ?? [];
      const { preToolUse } = by.policy;
      // Without it among them: the operator has taken it away. One that was changed is another one.
      const hook = preToolUse.find((candidate) => about.includes(candidate.name) && !done.has(hookKey(candidate)));
      if (!hook) return;
      done.add(hookKey(hook));
      if (!(await one(hook, call, chain, over))) return;
    }
  }

  return ({ call: id }, from) => {
    const call = openCalls.get(id);
    if (!call) return;
    const over = new AbortController();
    call.stop.signal.addEventListener("abort", () => over.abort("ended"), { once: true });
    const disarm = clock.after(CHAIN_MS, () => over.abort("exhausted"));
    const chain: Chain = { verdicts: [] };
    const broken = () => void chain.verdicts.push({ gate: "hook", outcome: "deny", rule: "hook", reason: "a defect of toolcrib" });
    const checking = () => (runtime.stateOf(from) as SessionState).open[id]?.checking;
    void consult(call, checking, chain, over.signal)
      .catch(broken)
      .then(() => {
        disarm();
        if (call.stop.signal.aborted) return;
        const { rewritten } = chain;
        if (rewritten && !rewritten.refusal) {
          call.arguments = rewritten.arguments;
          if (rewritten.deliver) call.result = rewritten.deliver.result;
        }
        const redacted = rewritten?.redacted ?? ports.cover(call.arguments, call.session).value;
        const people = {
          approvalId: `a_${ports.randomId()}`,
          ...waitsForPeople(call),
        };
        const command = { type: "consulted", call: id, ...told(chain, redacted), ...people };
        const denied = (now: number) => deniedSoFar(runtime, { ...call, observed: rewritten?.observed ?? checking()?.observed }, now);
        runtime
          .enter(from, ({ now }) => ({ ...command, ...denied(now) }))
          .catch(() => openCalls.end({ call: id, certainty: "not_applied", code: "internal", notices: [] }));
      });
  };
}

/** As the command says it. */
function told({ verdicts, words, rewritten }: Chain, redacted: Arguments): Omit<Consulted, "type" | "call"> {
  const reason = words ?? rewritten?.refusal?.reason;
  const payload = { arguments: redacted, ...(reason !== undefined && { reason }) };
  const { digest = "", observed = {}, deliver, refusal } = rewritten ?? {};
  return {
    verdicts,
    ...(rewritten && { rewritten: { digest, observed, ...(deliver && { deliver }) } }),
    ...(refusal && { refusal: { code: refusal.code, rule: refusal.rule } }),
    payload,
  };
}
