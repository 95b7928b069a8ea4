/** How long a call may be without a word from its server. */
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";

/** A server may have to be connected first. */
const ANSWER_MS = 60_000;

/** `toolTimeoutMs` of the server, else what the request asks for, else the default with or without a progress token; never above the cap. */
export function timeoutOf(
  catalogue: Catalogue,
  name: string,
  { timeoutMs, onProgress }: { readonly timeoutMs?: number; readonly onProgress?: unknown },
): number {
  const { limits, names } = catalogue;
  if (name === "mcp_answer") return limits.maxTimeoutMs + ANSWER_MS; // it outlasts the call that goes on
  const offer = names.get(name);
  const own = offer && serverOf(catalogue, offer.server)?.policy.toolTimeoutMs;
  const wanted = own ?? timeoutMs ?? (onProgress ? limits.progressTimeoutMs : limits.defaultTimeoutMs);
  return Math.min(wanted, limits.maxTimeoutMs);
}
