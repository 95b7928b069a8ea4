/** What a call may do, against what the policy denies altogether and what the profile may do at all. */
import type { LoneGate } from "./gate.ts";

export const capabilityGate: LoneGate = ({ capability, server }, { catalogue, profile }) => {
  const denied = new Set([...catalogue.policy.global.denyCapabilities, ...profile.policy.denyCapabilities]);
  if (denied.has(capability)) return [{ gate: "capability", outcome: "deny", rule: `denyCapabilities:${capability}`, code: "refused" }];
  if (denied.has("mcp") && server.origin !== "builtin")
    return [{ gate: "capability", outcome: "deny", rule: "denyCapabilities:mcp", code: "refused" }];
  return [];
};
