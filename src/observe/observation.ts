/** What the door finds out about a call's original arguments for the gates: nothing where nobody will ask. */
import { type Catalogue, type Offer, serverOf } from "../../actors/catalogue.ts";
import { allowsHost } from "../../actors/gates/egress.ts";
import { operationsOf } from "../../actors/policy/capability.ts";
import { rulesToJudge } from "../../actors/policy/rules.ts";
import type { Classification, Observed } from "../../events/policy.ts";
import { expressionOf } from "./expressions.ts";
import { guardVerdict } from "./guards.ts";
import { MAX_HOOK_DEPTH } from "./hook-depth.ts";
import { hooksAbout } from "./hooks.ts";
import { operationSaid } from "./operation.ts";
import { patternOf } from "./pattern.ts";
import { schemaFaults } from "./schema.ts";
import { type Host, hostsIn, textsIn } from "./texts.ts";

type Arguments = Readonly<Record<string, unknown>>;

export interface Observing {
  readonly catalogue: Catalogue;
  readonly offer: Offer;
  readonly arguments: Arguments;
  /** The tool's own; undefined when it is not known. */
  readonly schema: Arguments | undefined;
  readonly agent: string;
  /** The name of its session. */
  readonly session: () => string;
  /** How many hooks, each called from within another, have led to this call. */
  readonly depth: number;
  /** What is found is written down, so it holds no secret. */
  readonly redact: (text: string) => string;
}

export function observe({ catalogue, offer, arguments: args, schema, agent, session, depth, redact }: Observing): Observed | undefined {
  const { policy } = catalogue;
  const observed: { -readonly [K in keyof Observed]: Observed[K] } = {};
  const operation = operationIn(catalogue, offer, args);
  if (operation !== undefined && redact(operation) === operation) observed.operation = operation;
  const faults = schema && offer.kind === undefined ? schemaFaults(schema, args) : [];
  if (faults.length > 0) observed.schema = faults.map(redact);
  const guard = guardVerdict(serverOf(catalogue, offer.server)?.policy.argGuards ?? [], offer.tool, args);
  if (guard) observed.guards = [{ ...guard, reason: redact(guard.reason) }];
  const variables = { ...args, args, tool: offer.tool, name: offer.name, server: offer.server, agent };
  if (policy.preToolUse.length > 0) {
    const { hooks, unjudged } = hooksAbout(policy.preToolUse, { ...variables, session: session(), depth });
    if (hooks.length > 0) observed.hooks = [...hooks];
    if (hooks.length > 0 && depth > MAX_HOOK_DEPTH) observed.deep = depth;
    if (unjudged.length > 0) observed.unjudged = [...unjudged];
  }
  const rules = rulesToJudge(policy, offer).flatMap(({ name, when = "" }) => {
    const expression = expressionOf(when);
    const verdict = "fault" in expression ? "failed" : expression.evaluate(variables);
    return verdict === false ? [] : [{ name, ...(verdict === "failed" && { failed: true as const }) }];
  });
  if (rules.length > 0) observed.rules = rules;
  const isClassified = policy.classification.mode !== "off" && policy.classification.assets.length > 0;
  if (policy.egress.length > 0 || isClassified) {
    const texts = textsIn(args);
    const hosts = policy.egress.length > 0 ? hostsIn(texts, mayBeTold(policy.egress, redact)) : [];
    if (hosts.length > 0) observed.hosts = [...hosts];
    const labels = isClassified ? labelsOf(policy.classification, texts) : [];
    if (labels.length > 0) observed.labels = [...labels];
  }
  return Object.keys(observed).length > 0 ? observed : undefined;
}

/** In lower case nobody would find a secret any more. What the operator has listed is none. */
const mayBeTold =
  (egress: readonly string[], redact: (text: string) => string) =>
  ({ host, written }: Host): boolean =>
    redact(written) === written || egress.some((entry) => !entry.startsWith("*") && allowsHost(entry, host));

function operationIn(catalogue: Catalogue, offer: Offer, args: Arguments): string | undefined {
  const policy = serverOf(catalogue, offer.server)?.policy;
  const operations = policy && operationsOf(policy, offer.tool);
  return operations && operationSaid(operations, args);
}

/** One that cannot be compiled is refused with the configuration. */
function occurs(match: string, text: string): boolean {
  const pattern = patternOf(match);
  return typeof pattern !== "string" && pattern.test(text);
}

/** Of the assets that the texts name. */
export const labelsOf = ({ assets }: Pick<Classification, "assets">, texts: readonly string[]): readonly string[] => [
  ...new Set(assets.flatMap(({ match, label }) => (texts.some((text) => occurs(match, text)) ? [label] : []))),
];
