/** What a hook says, however it was asked: let it pass, block it, or other arguments. What cannot be read blocks. */
import { z } from "zod";
import type { Hook } from "../../events/policy.ts";
import { brokenBound, findUnsafeInteger } from "../observe/bounds.ts";

/** Longer outputs are not read. */
export const MAX_HOOK_BYTES = 65_536;

export type HookReply =
  /** It ended well, with this text. */
  | { readonly kind: "output"; readonly text: string }
  /** It says no in its own way: the words are for the agent. */
  | { readonly kind: "blocked"; readonly words: string }
  /** The reason is for operators. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Nobody was asked: as it is configured it cannot be. */
  | { readonly kind: "unusable"; readonly reason: string };

/** Asks one hook. Never rejects; when `signal` is aborted nobody waits any more, and what was started is ended. `pass`: what its own calls bring along. */
export type RunHook = (hook: Hook, input: object, signal: AbortSignal, pass: string) => Promise<HookReply>;

export type HookDecision =
  | { readonly kind: "allow" }
  | { readonly kind: "block"; readonly words?: string }
  | { readonly kind: "rewrite"; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "unusable"; readonly reason: string };

const Output = z.looseObject({
  decision: z.enum(["allow", "block", "rewrite"]),
  reason: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
const failed = (reason: string): HookDecision => ({ kind: "failed", reason });

export function decisionOf(reply: HookReply): HookDecision {
  if (reply.kind === "failed" || reply.kind === "unusable") return reply;
  if (reply.kind === "blocked") return { kind: "block", ...(reply.words !== "" && { words: reply.words }) };
  if (reply.text.trim() === "") return { kind: "allow" };
  const said = read(reply.text);
  if (!said) return failed("its output is no decision");
  if (said.decision === "allow") return { kind: "allow" };
  if (said.decision === "block") return { kind: "block", ...(said.reason !== undefined && said.reason !== "" && { words: said.reason }) };
  // As it was parsed: the schema library would drop a member called __proto__.
  const rewritten = said.arguments;
  if (!rewritten) return failed("it rewrites without arguments");
  if (brokenBound(rewritten)) return failed("its arguments are too large");
  if (findUnsafeInteger(reply.text) !== undefined) return failed("its arguments hold a number that JSON parsers alter");
  return { kind: "rewrite", arguments: rewritten };
}

function read(text: string): z.output<typeof Output> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Output.safeParse(value).success ? (value as z.output<typeof Output>) : undefined;
  } catch {
    return undefined;
  }
}
