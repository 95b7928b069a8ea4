/** Hosts that stand in the arguments, against those that calls may name. */
import type { ArgumentGate } from "./gate.ts";

const hostOf = (entry: string): string => entry.replace(/:\d+$/, "");
/** `*.example.com` is one label in front; an entry without a port allows every port. */
export function allowsHost(entry: string, host: string): boolean {
  const pattern = entry.toLowerCase();
  const shown = /:\d+$/.test(pattern) ? host : hostOf(host);
  if (!pattern.startsWith("*.")) return pattern === shown;
  const rest = pattern.slice(1);
  const label = shown.slice(0, -rest.length);
  return shown.endsWith(rest) && label !== "" && !label.includes(".");
}

export const egressGate: ArgumentGate = ({ observed }, { catalogue }) => {
  const { egress } = catalogue.policy;
  if (egress.length === 0) return [];
  const foreign = (observed.hosts ?? []).find((host) => !egress.some((entry) => allowsHost(entry, host)));
  return foreign === undefined ? [] : [{ gate: "egress", outcome: "deny", rule: "egress", reason: `the host ${foreign} is not allowed` }];
};
