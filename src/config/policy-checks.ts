/** What the schema cannot say of policies, approvals and hooks: every name is one, no group holds itself, every pattern compiles. */
import { GROUPS } from "../../actors/policy/names.ts";
import { expressionOf } from "../observe/expressions.ts";
import { patternOf } from "../observe/pattern.ts";
import { problemAt, type ServersIn } from "./checks.ts";
import type { Document } from "./jsonc.ts";
import { cycleIn, judgeName, type NamesThere } from "./policy-names.ts";
import type { LayerEntry } from "./policy-schema.ts";
import type { KeyPath, Problem } from "./problems.ts";
import type { MainFile } from "./schema.ts";
import { didYouMean } from "./suggest.ts";

export interface PolicyProblems {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}
type Say = (kind: "error" | "warning", path: KeyPath, message: string, hint?: string) => void;
type Groups = NamesThere["groups"];

/** `sources` hold the servers of all files. */
export function checkPolicy(document: Document, main: MainFile, sources: readonly ServersIn[]): PolicyProblems {
  const errors: Problem[] = [];
  const warnings: Problem[] = [];
  const say: Say = (kind, path, message, hint) => (kind === "error" ? errors : warnings).push(problemAt(document, path, message, hint));
  const seeds = Object.keys(main.bridge.defaultServers).map((name) => [name, undefined] as const);
  const written = sources.flatMap(({ servers }) => Object.entries(servers));
  const there = { servers: Object.fromEntries([...seeds, ...written]), bare: main.bridge.naming === "bare" };
  const { policy } = main;
  checkLayer(["policy"], policy, { ...there, groups: policy.groups }, say);
  for (const [i, { tool }] of policy.rules.entries())
    if (!tool.endsWith("*")) checkNames(["policy", "rules", i], { tool: [tool] }, { ...there, groups: policy.groups }, say);
  checkUnique(["policy", "rules"], policy.rules, say);
  for (const [i, { when }] of policy.rules.entries()) checkExpression(["policy", "rules", i, "when"], when, say);
  for (const [i, { match }] of policy.classification.assets.entries())
    checkPattern(["policy", "classification", "assets", i, "match"], match, say);
  checkSeats(["approvals"], main.approvals.approvers, main, say);
  for (const [name, profile] of Object.entries(main.profiles)) {
    const groups = { ...policy.groups, ...profile.policy?.groups };
    if (profile.policy) checkLayer(["profiles", name, "policy"], profile.policy, { ...there, groups }, say);
    checkSeats(["profiles", name, "approvals"], profile.approvals?.approvers ?? [], main, say);
  }
  checkHooks(main.hooks, say);
  return { errors, warnings };
}

function checkLayer(path: KeyPath, layer: LayerEntry, there: NamesThere, say: Say): void {
  const { allow, deny, alsoAllow, hardDeny, groups, byClient } = layer;
  checkNames(path, { allow, deny, alsoAllow, hardDeny }, there, say);
  for (const [client, { allow: names }] of Object.entries(byClient))
    checkNames([...path, "byClient", client], { allow: names }, there, say);
  checkNames([...path, "groups"], groups, there, say);
  for (const name of Object.keys(groups)) {
    const at = [...path, "groups", name];
    if (name === "mcp" || Object.hasOwn(GROUPS, name)) say("error", at, "is the name of a built-in group", "give it another one");
    const cycle = cycleIn(there.groups as Groups, name);
    if (cycle) say("error", at, `holds itself: ${cycle.join(", ")}`);
  }
}

function checkNames(path: KeyPath, lists: Readonly<Record<string, readonly string[]>>, there: NamesThere, say: Say): void {
  for (const [key, names] of Object.entries(lists))
    for (const [i, name] of names.entries()) {
      const finding = judgeName(name, there);
      if (finding) say(finding.kind, key === "tool" ? [...path, key] : [...path, key, i], finding.message, finding.hint);
    }
}

/** Whoever is named must be able to decide. */
function checkSeats(path: KeyPath, approvers: readonly string[], { operators }: MainFile, say: Say): void {
  const known = ["operator", "client", ...operators.map(({ name }) => name)];
  for (const [i, seat] of approvers.entries()) {
    const at = [...path, "approvers", i];
    const operator = operators.find(({ name }) => name === seat);
    if (!known.includes(seat)) say("error", at, "nobody can be this approver", didYouMean(seat, known) ?? `known: ${known.join(", ")}`);
    else if (operator && !operator.roles.some((role) => role !== "view"))
      say("error", at, "this operator can decide nothing", `give ${seat} the role decide`);
  }
}

function checkHooks(hooks: MainFile["hooks"], say: Say): void {
  for (const kind of ["preToolUse", "postToolUse"] as const) {
    checkUnique(["hooks", kind], hooks[kind], say);
    for (const [i, { matcher, if: condition }] of hooks[kind].entries()) {
      checkPattern(["hooks", kind, i, "matcher"], matcher, say);
      checkExpression(["hooks", kind, i, "if"], condition, say);
    }
  }
}

function checkPattern(path: KeyPath, text: string, say: Say): void {
  const pattern = patternOf(text);
  if (typeof pattern === "string") say("error", path, `is no pattern: ${pattern}`, "patterns are RE2");
}

function checkExpression(path: KeyPath, text: string | undefined, say: Say): void {
  const expression = text === undefined ? undefined : expressionOf(text);
  if (expression && "fault" in expression) say("error", path, `is no expression: ${expression.fault}`);
}

function checkUnique(path: KeyPath, named: readonly { readonly name: string }[], say: Say): void {
  const seen = new Set<string>();
  for (const [i, { name }] of named.entries()) {
    if (seen.has(name)) say("error", [...path, i, "name"], "another one has this name already", "give each its own name");
    seen.add(name);
  }
}
