/** What one session must not do alone although each of its calls is harmless: read a stranger's words, read private data, and then write to the outside. */

import type { Capability } from "../../events/call.ts";
import type { Label } from "../../events/policy.ts";
import type { Offer, ServerEntry } from "../catalogue.ts";
import type { Gate } from "./gate.ts";

/** The operator's word; a server that says it reaches the open world is believed, since that only makes it stricter. */
export function labelsOf({ policy }: ServerEntry, offer: Offer, capability: Capability): readonly Label[] {
  const stated = policy.labels ?? {};
  const own = Object.hasOwn(stated, offer.tool) ? stated[offer.tool] : stated["*"];
  if (own) return own;
  if (!offer.openWorldHint) return [];
  return [capability === "read" ? "untrusted" : "external"];
}

/** What a call of this tool leaves behind in the session. */
export const taintOf = (labels: readonly Label[]): readonly ("untrusted" | "private")[] =>
  labels.flatMap((label) => (label === "external" ? [] : [label]));

export const compositionGate: Gate = ({ server, offer, capability }, { state }) => {
  const { taint } = state;
  if (!taint?.untrusted || !taint.private || capability === "read") return [];
  if (!labelsOf(server, offer, capability).includes("external")) return [];
  const reason = "this session has read a stranger's words and private data, and now writes to the outside";
  return [{ gate: "composition", outcome: "ask", rule: "untrusted+private+external", reason }];
};
