/** All gates in their order: the first that denies ends it, whoever wants to ask is asked once and last. */
import type { Verdict } from "../../events/policy.ts";
import { callOnceGate } from "./call-once.ts";
import { capabilityGate } from "./capability.ts";
import { classificationGate } from "./classification.ts";
import { compositionGate } from "./composition.ts";
import { denialGate } from "./denials.ts";
import { egressGate } from "./egress.ts";
import type { ArgumentGate, Gate, GateContext, Judged, LoneGate } from "./gate.ts";
import { guardGate } from "./guard.ts";
import { hookGate } from "./hook.ts";
import { operationGate } from "./operation.ts";
import { rateGate } from "./rate.ts";
import { riskGate } from "./risk.ts";
import { ruleGate } from "./rule.ts";
import { schemaGate } from "./schema.ts";
import { spinGate } from "./spin.ts";

/** What depends on the call alone, and first whether it is looked at at all. */
const GATES: readonly Gate[] = [
  denialGate,
  operationGate,
  schemaGate,
  guardGate,
  ruleGate,
  capabilityGate,
  egressGate,
  riskGate,
  compositionGate,
  classificationGate,
  hookGate,
];
/** Of them, those that look at arguments. */
const ABOUT_ARGUMENTS: readonly ArgumentGate[] = [guardGate, ruleGate, egressGate, classificationGate];
/** Those that need not know what else the session did. */
const ABOUT_CALL: readonly LoneGate[] = [
  operationGate,
  guardGate,
  ruleGate,
  capabilityGate,
  egressGate,
  riskGate,
  classificationGate,
  hookGate,
];
/** What counts calls: asked only when nothing else refuses. */
const COUNTING: readonly Gate[] = [rateGate, spinGate, callOnceGate];

export interface Judgement {
  /** Whatever was said, in order. */
  readonly verdicts: readonly Verdict[];
  readonly denied?: Verdict;
  readonly asks: readonly Verdict[];
}

function run<Known>(
  gates: readonly ((call: Judged, context: Known & Pick<GateContext, "before">) => readonly Verdict[])[],
  call: Judged,
  context: Known,
  before: readonly Verdict[] = [],
): Judgement {
  const verdicts = [...before];
  for (const gate of gates) {
    const said = gate(call, { ...context, before: verdicts });
    verdicts.push(...said);
    const denied = said.find(({ outcome }) => outcome === "deny");
    if (denied) return { verdicts, denied, asks: [] };
  }
  return { verdicts, asks: verdicts.filter(({ outcome }) => outcome === "ask") };
}

/** Before anybody outside is consulted. */
export const judge = (call: Judged, context: Omit<GateContext, "before">): Judgement => run(GATES, call, context);

/** Of a call that its session has let go, without the session. */
export const judgeAlone = (call: Judged, context: Omit<Parameters<LoneGate>[1], "before">): Judgement => run(ABOUT_CALL, call, context);

/** After everybody outside was consulted: `before` is what was said so far. */
export const judgeCounting = (call: Judged, context: Omit<GateContext, "before">, before: readonly Verdict[]): Judgement =>
  run(COUNTING, call, context, before);

/** Whether a call that was let through may have other arguments by now: nothing denies them, and nobody would have to be asked. */
export const allowsArguments: (...call: Parameters<ArgumentGate>) => boolean = (call, context) =>
  ABOUT_ARGUMENTS.every((gate) => gate(call, context).every(({ outcome }) => outcome !== "deny" && outcome !== "ask"));
