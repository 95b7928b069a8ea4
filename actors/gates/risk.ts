/** How far the profile lets its agent go alone: reads only, whatever it asks for, or anything up to a ceiling. */
import type { Risk } from "../../events/policy.ts";
import type { LoneGate } from "./gate.ts";

const ORDER: readonly Risk[] = ["trivial", "low", "medium", "high", "critical"];
export const exceeds = (risk: Risk, ceiling: Risk): boolean => ORDER.indexOf(risk) > ORDER.indexOf(ceiling);

export const riskGate: LoneGate = ({ capability, risk, offer }, { profile, before }) => {
  const { autonomy, riskCeiling } = profile;
  if (autonomy === "restricted")
    return capability === "read" ? [] : [{ gate: "risk", outcome: "deny", rule: "autonomy:restricted", code: "refused" }];
  if (exceeds(risk, riskCeiling))
    return [{ gate: "risk", outcome: "ask", rule: `risk-ceiling:${riskCeiling}`, reason: `its risk is ${risk}, above ${riskCeiling}` }];
  if (autonomy === "autonomous" || before.some(({ gate, outcome }) => gate === "rule" && outcome === "pass")) return []; // the operator has allowed it by name
  if (offer.destructiveHint)
    return [{ gate: "risk", outcome: "ask", rule: "destructive-hint", reason: "its server says that it destroys something" }];
  if (capability === "mutating") return [{ gate: "risk", outcome: "ask", rule: "autonomy:supervised", reason: "it may change something" }];
  return [];
};
