/** How long a call may be without a word from its server. */
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import type { TaskOffer } from "../../events/registry.ts";
import type { OpenCall } from "./open-calls.ts";

type Waiting = { readonly timeoutMs?: number } & Partial<Pick<OpenCall, "onProgress" | "abilities" | "native">>;

/** Whether a call of this published name is offered to clients as a task. */
export const offerOf = ({ offer }: Pick<Catalogue, "offer">, name: string): TaskOffer["offer"] => offer.perTool[name] ?? offer.offer;

/** Whether any call may be. */
export const offersTasks = ({ offer: { offer, perTool } }: Pick<Catalogue, "offer">): boolean =>
  [offer, ...Object.values(perTool)].some((one) => one !== "never");

/**
 * `toolTimeoutMs` of the server, else what the request asks for, else the default with or without a progress token; never above the cap.
 * A client that follows tasks waits for none of these defaults.
 */
export function timeoutOf(catalogue: Catalogue, name: string, { timeoutMs, onProgress, abilities, native }: Waiting): number {
  const { limits, names } = catalogue;
  if (name === "mcp_answer") return limits.maxTimeoutMs; // until the call goes on: then that has its own
  const offer = names.get(name);
  const own = offer && serverOf(catalogue, offer.server)?.policy.toolTimeoutMs;
  const isFollowed = abilities?.tasks === true && !native && offerOf(catalogue, name) !== "never";
  const usual = onProgress ? limits.progressTimeoutMs : limits.defaultTimeoutMs;
  const wanted = own ?? timeoutMs ?? (isFollowed ? limits.maxTimeoutMs : usual);
  return Math.min(wanted, limits.maxTimeoutMs);
}
