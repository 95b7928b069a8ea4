/** Labels of the assets that the arguments name: audited, or enforced. */
import type { ArgumentGate } from "./gate.ts";

const OUTCOME = { allow: "pass", ask: "ask", redact: "redact", block: "deny" } as const;

export const classificationGate: ArgumentGate = ({ observed }, { catalogue }) => {
  const { mode, actions } = catalogue.policy.classification;
  if (mode === "off") return [];
  return (observed.labels ?? []).flatMap((label) => {
    const key = Object.keys(actions).find((name) => name.toLowerCase() === label.toLowerCase());
    const action = key === undefined ? "allow" : (actions[key] ?? "allow");
    if (action === "allow") return [];
    const said = { gate: "classification", rule: `label:${label}`, reason: `it names an asset labelled ${label}` } as const;
    return [{ ...said, outcome: mode === "audit" ? "warn" : OUTCOME[action] }];
  });
};
