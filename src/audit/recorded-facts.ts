/** What was found out about a recorded call, as another policy needs it: recorded observations first, stored arguments where they say nothing. */
import { BUILTIN } from "../../actors/address.ts";
import { type Catalogue, type Offer, serverOf } from "../../actors/catalogue.ts";
import { rulesToJudge } from "../../actors/policy/rules.ts";
import type { Observed } from "../../events/policy.ts";
import type { Operations } from "../../events/registry.ts";
import { canonicalize } from "../observe/canonical.ts";
import { expressionOf } from "../observe/expressions.ts";
import { guardVerdict } from "../observe/guards.ts";
import { labelsOf } from "../observe/observation.ts";
import { operationSaid } from "../observe/operation.ts";
import { schemaFaults } from "../observe/schema.ts";
import { hostsIn, textsIn } from "../observe/texts.ts";
import { markerIn } from "../secrets/marker.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** One recorded call. */
export interface Recorded {
  readonly offer: Offer;
  readonly agent: string;
  /** What its command carried. */
  readonly observed: Observed;
  /** Its tool was known when it was asked for, so that what is not in `observed` was not there. */
  readonly wasObserved: boolean;
  /** As they are stored; undefined when they are erased. */
  readonly arguments: () => Arguments | undefined;
  /** The tool's own schema, where there is one to judge by. */
  readonly schema: () => Arguments | undefined;
}
export interface Facts {
  /** As far as they are known. */
  readonly known: Observed;
  /** What may be true beside that, one doubt each: it depends on what is concealed or erased. */
  readonly doubts: readonly Observed[];
}
type Part = keyof Observed;
interface Found {
  readonly known?: Observed[Part];
  readonly doubts?: readonly Observed[Part][];
}

/** A host that no list allows. */
const SOME_HOST = "?";
const SOMETHING = "it cannot be told, since what it depends on is concealed or erased";
const hides = (text: string): boolean => markerIn(text) !== undefined;
const hasHidden = (value: unknown): boolean => textsIn(value).some(hides);
const isSame = (one: unknown, other: unknown): boolean => canonicalize(one, "escape") === canonicalize(other, "escape");

/** `before`: what the call was judged by; `after`: what it is to be judged by. */
export function factsOf(recorded: Recorded, before: Catalogue, after: Catalogue): Facts {
  const parts: readonly [Part, Found][] = [
    ["schema", schemaOf(recorded)],
    ["guards", guardsOf(recorded, before, after)],
    ["rules", rulesOf(recorded, before, after)],
    ["hosts", hostsOf(recorded, before, after)],
    ["labels", labelsIn(recorded, before, after)],
    ["operation", operationOf(recorded, before, after)],
  ];
  const known: Observed = Object.fromEntries(parts.flatMap(([part, found]) => (found.known === undefined ? [] : [[part, found.known]])));
  const doubts = parts.flatMap(([part, found]) => (found.doubts ?? []).map((doubt) => ({ ...known, [part]: doubt })));
  return { known, doubts };
}

function schemaOf({ observed, wasObserved, offer, arguments: read, schema: ofTool }: Recorded): Found {
  if (wasObserved) return { known: observed.schema };
  const schema = offer.server === BUILTIN || offer.kind !== undefined ? undefined : ofTool();
  if (!schema) return {};
  const args = read();
  if (!args) return { doubts: [[SOMETHING]] };
  const faults = [...schemaFaults(schema, args)];
  if (faults.length === 0) return {};
  return hasHidden(args) ? { doubts: [faults] } : { known: faults };
}

function guardsOf({ observed, wasObserved, offer, arguments: read }: Recorded, before: Catalogue, after: Catalogue): Found {
  const guards = serverOf(after, offer.server)?.policy.argGuards ?? [];
  if (wasObserved && isSame(guards, serverOf(before, offer.server)?.policy.argGuards ?? [])) return { known: observed.guards };
  const args = read();
  const isMeant = guards.some(({ tools }) => tools.length === 0 || tools.some((name) => name.toLowerCase() === offer.tool.toLowerCase()));
  if (!args) return isMeant ? { doubts: [[{ rule: "guard", reason: SOMETHING }]] } : {};
  const said = guardVerdict(guards, offer.tool, args);
  if (!said) return {};
  const visible = Object.fromEntries(Object.entries(args).filter(([, value]) => !hasHidden(value)));
  const isAnyway = guardVerdict(guards.map(asIfGiven), offer.tool, visible) !== undefined || isSame(visible, args);
  return isAnyway ? { known: [said] } : { doubts: [[said]] };
}
/** A guard that does not ask for what is left out. */
const asIfGiven = <G extends { readonly options: Arguments }>(guard: G): G => {
  const { requireArgs: _, ...options } = guard.options;
  return { ...guard, options };
};

function rulesOf(
  { observed, wasObserved, offer, agent, arguments: read }: Recorded,
  { policy: before }: Catalogue,
  { policy: after }: Catalogue,
): Found {
  const judged = wasObserved ? new Map(rulesToJudge(before, offer).map(({ name, when }) => [name, when])) : new Map<string, string>();
  const known: NonNullable<Observed["rules"]> = [];
  const hidden: string[] = [];
  for (const { name, when = "" } of rulesToJudge(after, offer)) {
    if (judged.get(name) === when) {
      known.push(...(observed.rules ?? []).filter((rule) => rule.name === name));
      continue;
    }
    const args = read();
    const expression = expressionOf(when);
    const variables = args && { ...args, args, tool: offer.tool, name: offer.name, server: offer.server, agent };
    const verdict = "fault" in expression ? "failed" : variables ? expression.evaluateAround(variables, hides) : "hidden";
    if (verdict === "hidden") hidden.push(name);
    else if (verdict !== false) known.push({ name, ...(verdict === "failed" && { failed: true as const }) });
  }
  return { known: known.length > 0 ? known : undefined, doubts: hidden.map((name) => [...known, { name }]) };
}

function hostsOf({ observed, wasObserved, arguments: read }: Recorded, { policy: before }: Catalogue, { policy: after }: Catalogue): Found {
  if (after.egress.length === 0) return {};
  if (wasObserved && before.egress.length > 0) return { known: observed.hosts };
  const args = read();
  const hosts = [...hostsIn(textsIn(args))];
  const isWhole = args !== undefined && !hasHidden(args);
  return { known: hosts, doubts: isWhole ? [] : [[...hosts, SOME_HOST]] };
}

function labelsIn({ observed, wasObserved, arguments: read }: Recorded, before: Catalogue, after: Catalogue): Found {
  const [{ classification: old }, { classification }] = [before.policy, after.policy];
  if (classification.mode === "off" || classification.assets.length === 0) return {};
  if (wasObserved && old.mode !== "off" && isSame(old.assets, classification.assets)) return { known: observed.labels };
  const args = read();
  const labels = [...labelsOf(classification, textsIn(args))];
  const others = new Set(classification.assets.map(({ label }) => label).filter((label) => !labels.includes(label)));
  const isWhole = args !== undefined && !hasHidden(args);
  return { known: labels, doubts: isWhole ? [] : [...others].map((label) => [...labels, label]) };
}

/** None that anybody names. */
const SOME_OPERATION = "another";
function operationOf({ observed, wasObserved, offer, arguments: read }: Recorded, before: Catalogue, after: Catalogue): Found {
  const operations = operationsIn(after, offer);
  if (!operations) return {};
  if (wasObserved && operationsIn(before, offer)?.param === operations.param) return { known: observed.operation };
  const args = read();
  const said = args && operationSaid(operations, args);
  if (args && !hasHidden(args[operations.param])) return said === undefined ? {} : { known: said };
  return { doubts: [...new Set([operations.capability, operations.risk].flatMap(Object.keys)), SOME_OPERATION] };
}
function operationsIn(catalogue: Catalogue, { server, tool }: Offer): Operations | undefined {
  const operations = serverOf(catalogue, server)?.policy.operations ?? {};
  return Object.hasOwn(operations, tool) ? operations[tool] : operations["*"];
}
