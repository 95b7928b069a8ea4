/** The fetch for everything that is asked about tokens: bounded in time and size, and not to be sent just anywhere by what a server says. */
import type { Fetch } from "../mcp/downstream/fetch.ts";
import { OAuthProblem } from "../mcp/oauth/problem.ts";
import { isLoopback, isSecure } from "./address.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/**
 * `own` are the addresses that the operator wrote: the server, its issuer. Whatever else turns up has to be https, and is on this machine only
 * where one of ours is too. Throws an OAuthProblem before anything is sent elsewhere.
 */
export function createAsk(own: readonly string[], stop?: AbortSignal): Fetch {
  const origins = own.map((address) => new URL(address).origin);
  const isHere = own.some(isLoopback);
  return async (address, init) => {
    const url = typeof address === "string" ? address : address instanceof URL ? address.href : address.url;
    const isOurs = origins.includes(URL.parse(url)?.origin ?? "");
    if (!isOurs && !isSecure(url)) throw new OAuthProblem("one of its addresses is not https", true);
    if (!isOurs && isLoopback(url) && !isHere) throw new OAuthProblem("one of its addresses is on this machine", true);
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const signal = stop === undefined ? limit : AbortSignal.any([limit, stop]);
    const response = await fetch(url, { redirect: "manual", ...init, signal });
    const body = await bounded(response);
    return new Response(body.length > 0 ? body : null, { status: response.status, headers: response.headers });
  };
}

/** An event stream does not end: what it says is of no interest here. */
async function bounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel();
    return new Uint8Array();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new OAuthProblem(`it answered with more than ${MAX_BYTES / 1024} KiB`, true);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
