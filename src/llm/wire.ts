/** The OpenAI chat protocol as far as it is spoken here: one question out, one text back, faults in words. */
import { showInvisible } from "../../actors/visible-text.ts";

export interface Prompt {
  readonly system: string;
  readonly user: string;
  /** Of the answer, what the model thinks to itself included. */
  readonly maxTokens: number;
}
/** Newer models refuse the older name of the limit, and many servers know no other. */
export type LimitName = "max_tokens" | "max_completion_tokens";
export type Answered = { readonly text: string } | { readonly fault: string };

const MAX_BYTES = 64 * 1024;
const MAX_WORDS = 200;

/** What stands behind the path (a version, for some) stays. */
export function addressOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
  return url.href;
}

export const bodyOf = (model: string, { system, user, maxTokens }: Prompt, limit: LimitName): string =>
  JSON.stringify({
    model,
    messages: [
      { role: "system", content: system.toWellFormed() },
      { role: "user", content: user.toWellFormed() },
    ],
    [limit]: maxTokens,
    stream: false,
  });

/** Undefined when there is more than 64 KiB of it: then the rest is not read. */
export async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined; // leaving the loop cancels the body
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

const TOO_LONG = `it answered with more than ${MAX_BYTES / 1024} KiB`;
/** Some models that run at home say first what they think. */
const THOUGHT = /^\s*<think>[\s\S]*?<\/think>/;

/** The model's text out of an answer that succeeded. */
export function textOf(body: string | undefined): Answered {
  if (body === undefined) return { fault: TOO_LONG };
  const text = at(parse(body), "choices", 0, "message", "content");
  if (typeof text !== "string") return { fault: "the endpoint's answer holds no text: is it an OpenAI-compatible chat endpoint?" };
  const said = text.replace(THOUGHT, "").trim();
  return said === "" ? { fault: "the model answered nothing" } : { text: said };
}

export function wantsOtherLimit(status: number, body: string | undefined): boolean {
  if (status !== 400 || body === undefined) return false;
  const error = at(parse(body), "error");
  return at(error, "param") === "max_tokens" || String(at(error, "message")).includes("max_completion_tokens");
}

/** Why it was refused, in the endpoint's words: redacted, on one line, never those about a key, which may show half of it. */
export function faultOf(status: number, body: string | undefined, redact: (text: string) => string): string {
  const said = `the endpoint answered ${status}`;
  if (status === 401 || status === 403) return `${said}: its apiKey is missing or not accepted`;
  if (body === undefined) return said;
  const answer = parse(body);
  const words = [at(answer, "error", "message"), at(answer, "error"), at(answer, "message")].find((one) => typeof one === "string");
  if (typeof words !== "string") return said;
  const line = showInvisible(redact(words)).replace(/\s+/g, " ").trim();
  return `${said}: ${line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS - 1).toWellFormed()}…` : line}`;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inside, key) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, key) : undefined), value);
