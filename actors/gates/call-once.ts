/** Tools that a session may call once: the call has it from its admission on, and gives it back when it fails. */
import type { Offer, ServerEntry } from "../catalogue.ts";
import { toolKey } from "./counts.ts";
import type { Gate } from "./gate.ts";

export const isOnce = ({ policy: { callOnce = [] } }: ServerEntry, { tool, kind }: Offer): boolean =>
  kind === undefined && (callOnce.includes(tool) || callOnce.includes("*"));

export const callOnceGate: Gate = ({ server, offer }, { state }) =>
  isOnce(server, offer) && Object.hasOwn(state.counts.once, toolKey(offer))
    ? [{ gate: "call-once", outcome: "deny", rule: "callOnce", code: "refused" }]
    : [];
