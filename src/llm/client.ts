/** Asks a configured model one thing: an OpenAI-compatible chat endpoint, one tier, one answer. Bounded in time and size; never throws. */
import type { Clock } from "../runtime/timers.ts";
import type { Tier, Tiers } from "./tiers.ts";
import { type Answered, addressOf, bodyOf, faultOf, type LimitName, type Prompt, readBounded, textOf, wantsOtherLimit } from "./wire.ts";

export interface Question extends Prompt {
  readonly tier: Tier;
  /** Aborting it gives the answer up. */
  readonly signal?: AbortSignal;
  /** Of everything together, the second attempt too. */
  readonly timeoutMs?: number;
}
/** `reason` is for the operator: what went wrong in a few words, without secrets. */
export type Completion = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

export interface LlmPorts {
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}
export interface Llm {
  /** From now on these are asked. */
  configure(tiers: Tiers): void;
  tiers(): Tiers;
  /** Another tier is asked only if the caller does so. Never rejects. */
  complete(question: Question): Promise<Completion>;
}

const TIMEOUT_MS = 60_000;
const DEFAULT_PAUSE_MS = 1000;
/** Whatever the endpoint says. */
const MAX_PAUSE_MS = 8000;

export function createLlm({ clock, redact }: LlmPorts): Llm {
  let tiers: Tiers = {};

  const pause = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const stop = clock.after(ms, resolve);
      const end = () => {
        stop();
        reject(signal.reason);
      };
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
  const pauseAfter = (header: string | null): number => {
    const seconds = header === null || header.trim() === "" ? Number.NaN : Number(header);
    const ms = Number.isNaN(seconds) ? Date.parse(header ?? "") - clock.now() : seconds * 1000;
    return Number.isNaN(ms) ? DEFAULT_PAUSE_MS : Math.min(Math.max(0, ms), MAX_PAUSE_MS);
  };

  async function attempts({ tier, ...prompt }: Question, signal: AbortSignal): Promise<Answered> {
    const endpoint = tiers[tier];
    if (!endpoint) return { fault: `the tier ${tier} is not configured` };
    const { apiKey } = endpoint;
    const headers = { "content-type": "application/json", ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) };
    const post = async (limit: LimitName) => {
      const body = bodyOf(endpoint.model, prompt, limit);
      // Only this very address gets the key.
      const response = await fetch(addressOf(endpoint.baseUrl), { method: "POST", headers, body, redirect: "manual", signal });
      return { response, body: await readBounded(response) };
    };
    let limit: LimitName = "max_tokens";
    let isRepeated = false;
    for (;;) {
      const { response, body } = await post(limit);
      const { status } = response;
      if (response.ok) return textOf(body);
      if (limit === "max_tokens" && wantsOtherLimit(status, body)) limit = "max_completion_tokens";
      else if (!isRepeated && (status === 429 || status >= 500)) {
        isRepeated = true;
        await pause(pauseAfter(response.headers.get("retry-after")), signal);
      } else return { fault: faultOf(status, body, redact) };
    }
  }

  return {
    configure(next) {
      tiers = next;
    },
    tiers: () => tiers,
    async complete(question) {
      const { signal, timeoutMs = TIMEOUT_MS } = question;
      const late = new AbortController();
      const disarm = clock.after(timeoutMs, () => late.abort());
      try {
        const answered = await attempts(question, signal ? AbortSignal.any([signal, late.signal]) : late.signal);
        return "text" in answered ? { ok: true, text: answered.text } : { ok: false, reason: answered.fault };
      } catch (error) {
        if (late.signal.aborted) return { ok: false, reason: `no answer within ${timeoutMs} ms` };
        if (signal?.aborted) return { ok: false, reason: "it was given up" };
        return { ok: false, reason: `the endpoint cannot be reached (${codeOf(error)})` };
      } finally {
        disarm();
      }
    },
  };
}

/** The message may hold the address. */
const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "unknown error");
