/** `hooks`: programs and addresses that are asked before a call is sent, or told after it. */
import { z } from "zod";
import { canonicalize } from "../observe/canonical.ts";
import { sha256 } from "./jsonc.ts";
import { PersonName } from "./people-names.ts";

const MAX_HOOK_MS = 10_000;

const HookEntry = z
  .strictObject({
    name: PersonName,
    matcher: z.string().default("").describe("A pattern (RE2) that is looked for in the typed name. Empty: every tool."),
    if: z.string().min(1).optional().describe("An expression over the call."),
    type: z.enum(["command", "http"]),
    command: z.array(z.string()).min(1).optional().describe("The program and its arguments; no shell reads them."),
    url: z.string().min(1).optional().describe("The address that is asked."),
    timeoutMs: z.int().min(1).max(MAX_HOOK_MS).default(5000),
    onTimeout: z.enum(["block", "allow"]).default("block"),
    enabled: z.boolean().default(true),
    observe: z.boolean().default(false).describe("It can only tighten."),
  })
  .superRefine(({ type, command, url }, context) => {
    const report = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    const [needed, other] = type === "command" ? (["command", "url"] as const) : (["url", "command"] as const);
    const given = { command, url };
    if (given[needed] === undefined) report(needed, `is required for a hook of type ${type}`);
    if (given[other] !== undefined) report(other, `does not belong to a hook of type ${type}`);
  });
export type HookEntry = z.output<typeof HookEntry>;

/** A changed hook is another one. */
export function hookDigest(entry: HookEntry): string {
  const written = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
  return sha256(canonicalize(written, "escape"));
}

export const Hooks = z.strictObject({
  preToolUse: z.array(HookEntry).default([]).describe("Asked before a call is sent; they may block it or change its arguments."),
  postToolUse: z.array(HookEntry).default([]).describe("Told after a call has ended."),
});
