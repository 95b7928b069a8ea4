/** Logs of a few calls, and what other rules would have made of them. */
import { DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import type { Policy, Rule } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { simulate } from "../../src/audit/simulate.ts";
import { parseDocument } from "../../src/config/jsonc.ts";
import { readPolicyFile } from "../../src/config/policy-file.ts";
import type { Reader } from "../../src/log/reader.ts";
import { fakeServer, harness, text, tool } from "../harness.ts";

export type Call = readonly [name: string, args?: Record<string, unknown>];
export interface World {
  /** Of the session; its id is `s1`. */
  readonly name?: string;
  readonly policy?: Partial<Policy>;
  readonly server?: Partial<ServerPolicy>;
  readonly secrets?: readonly { name: string; value: string }[];
}

/** The log of some calls of one session to `srv`, which answers each. */
export async function logOf(calls: readonly Call[], { name = "s1", policy = {}, server: serverPolicy = {}, secrets = [] }: World = {}) {
  const server = fakeServer([tool("act"), tool("look", { readOnlyHint: true })]);
  const made = await harness({ servers: { srv: server }, policies: { srv: serverPolicy }, policy, secrets });
  const opening = { type: "open", agent: "ada", name, client: "test", era: "rest", profile: "default" };
  await made.runtime.enter("session/s1", opening);
  const agent = await made.session("s1");
  for (const [name, args = {}] of calls) {
    const end = agent.ask(name, args);
    await made.settle();
    for (const { answer } of server.calls.splice(0)) answer(text("done"));
    await Promise.race([end, made.settle()]); // it may wait for people
  }
  await made.settle();
  return made.log;
}

export function under(log: Reader, rules: object | string) {
  const bytes = new TextEncoder().encode(typeof rules === "string" ? rules : JSON.stringify(rules));
  const parsed = parseDocument("rules.jsonc", bytes);
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  const read = readPolicyFile(parsed.document, "prefixed");
  if ("errors" in read) throw new Error(JSON.stringify(read.errors));
  return simulate(log, read.change);
}
/** `allowed->refused denyTools`, by call. */
export const changes = (log: Reader, rules: object | string) =>
  under(log, rules).changed.map(({ tool: name, was, now, rule }) => `${name} ${was}->${now} ${rule}`);
export const rule = (more: Partial<Rule>): Rule => ({ name: "r1", tool: "srv__act", action: "deny", reason: "", ...more });
export const profiles = (over: Partial<Policy["profiles"][string]>): Policy["profiles"] => ({
  ...DEFAULT_POLICY.profiles,
  default: { ...DEFAULT_PROFILE, ...over },
});
