/** What a call of a tool may do: whose word counts. */
import type { Capability } from "../../events/call.ts";
import type { Risk } from "../../events/policy.ts";
import type { Operations, ServerPolicy } from "../../events/registry.ts";
import type { Offer } from "../catalogue.ts";

/** The exact name before the rest. */
export const settingOf = <T>(settings: Readonly<Record<string, T>> | undefined, tool: string): T | undefined => {
  if (settings === undefined) return undefined;
  return Object.hasOwn(settings, tool) ? settings[tool] : Object.hasOwn(settings, "*") ? settings["*"] : undefined;
};

/** The operator's word first, then a trusted server's hints, then the tool's own default. */
export function capabilityOf({ capabilities, trusted }: ServerPolicy, offer: Offer): Capability {
  const hinted = trusted ? hintOf(offer) : undefined;
  return settingOf(capabilities, offer.tool) ?? hinted ?? offer.capability;
}

function hintOf({ readOnlyHint, idempotentHint }: Offer): Capability | undefined {
  if (readOnlyHint) return "read";
  return idempotentHint ? "idempotent" : undefined;
}

/** The operator's word, then what the server says that makes it worse, whoever it is, then what it may do. */
export function riskOf({ risks }: ServerPolicy, offer: Offer, capability: Capability): Risk {
  const stated = settingOf(risks, offer.tool);
  if (stated !== undefined) return stated;
  if (offer.destructiveHint) return "high";
  return capability === "read" ? "low" : "medium";
}

/** Of a tool that does several things. */
export const operationsOf = ({ operations }: ServerPolicy, tool: string): Operations | undefined => settingOf(operations, tool);

/** What one operation may do and how bad it can be; what is not said of it is that of its tool. Only the exact name makes it harmless. */
export function ofOperation(policy: ServerPolicy, offer: Offer, operation: string | undefined): { capability: Capability; risk: Risk } {
  const { capability: capabilities = {}, risk: risks = {} } = operationsOf(policy, offer.tool) ?? {};
  const asked = operation ?? "";
  const capability = (Object.hasOwn(capabilities, asked) ? capabilities[asked] : undefined) ?? capabilityOf(policy, offer);
  const same = Object.keys(risks).find((name) => name.toLowerCase() === asked.trim().toLowerCase());
  return { capability, risk: (same === undefined ? undefined : risks[same]) ?? riskOf(policy, offer, capability) };
}
