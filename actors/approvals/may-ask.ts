/** Whether people may have to be asked about a call: never too seldom, and cheap, since every call is looked at. */
import type { Narrowing } from "../../events/policy.ts";
import { type Catalogue, serverOf } from "../catalogue.ts";
import { exceeds } from "../gates/risk.ts";
import { capabilityOf, operationsOf, riskOf } from "../policy/capability.ts";
import { profileOf } from "../policy/defaults.ts";
import type { SessionState } from "../session-commands.ts";
import { afterEarlier } from "../session-order.ts";
import { CLIENT } from "./votes.ts";

type Asking = Pick<SessionState, "profile" | "taint" | "open"> & { readonly narrow?: Narrowing | undefined };

export function mayAsk(catalogue: Catalogue, session: Asking, name: string): boolean {
  const { profile, narrow } = session;
  const { policy, names } = catalogue;
  const offer = names.get(name);
  const server = offer && serverOf(catalogue, offer.server);
  if (!offer || !server) return false;
  const { autonomy, riskCeiling, limits } = profileOf(policy, profile);
  if (autonomy !== "autonomous" || policy.rules.length + policy.preToolUse.length > 0 || policy.classification.mode !== "off") return true;
  const { taint } = limits.orderedWrites || limits.parallelReads > 0 ? afterEarlier(session) : session;
  if (taint?.untrusted && taint.private) return true;
  if (narrow?.profile !== undefined || operationsOf(server.policy, offer.tool)) return true;
  return exceeds(riskOf(server.policy, offer, capabilityOf(server.policy, offer)), riskCeiling);
}

/** Whether its own client may be among them. */
export const mayAskClient = (catalogue: Catalogue, session: Asking, name: string): boolean =>
  mayAsk(catalogue, session, name) && profileOf(catalogue.policy, session.profile).approvals.approvers.includes(CLIENT);
