/** So many calls in any hour: a sliding window for each session, rebuilt from its events. */
import { HOUR_MS, spendsRate } from "./counts.ts";
import type { Gate } from "./gate.ts";

export const rateGate: Gate = ({ offer }, { profile, state, now }) => {
  if (!spendsRate(offer, profile)) return [];
  const { callsPerHour } = profile.limits;
  const within = state.counts.calls.filter((at) => at + HOUR_MS > now);
  if (within.length < callsPerHour) return [];
  const retryAfterMs = (within[within.length - callsPerHour] ?? now) + HOUR_MS - now;
  return [{ gate: "rate", outcome: "deny", rule: `callsPerHour:${callsPerHour}`, code: "rate_limited", retryAfterMs }];
};
