/** The fetch for everything that is asked about tokens: bounded in time and size, and not to be sent just anywhere by what a server says. */
import type { Fetch } from "../mcp/downstream/fetch.ts";
import { OAuthProblem } from "../mcp/oauth/problem.ts";
import { resolveName } from "../net/guard.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { isLoopback, isSecure } from "./address.ts";

export interface Known {
  readonly serverUrl: string;
  /** The profile's issuer or token endpoint. With one, its word counts for further addresses; without, the server's does not. */
  readonly authority: string | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** A redirect looks like an answer without a place to go to: nobody follows it. */
const withoutRedirect = async (url: string, init: BunFetchRequestInit): Promise<Response> => {
  const response = await fetch(url, init);
  response.headers.delete("location");
  return response;
};
const guarded = createGuardedFetch({ resolve: resolveName, allowPrivate: () => false, fetch: withoutRedirect });

/**
 * The server and the authority of the profile are asked as the operator wrote them. Whatever else turns up has to be https; what a server alone
 * says has to be a public address, unless that server is on this machine itself. Rejects with an OAuthProblem before anything is sent elsewhere.
 */
export function createAsk({ serverUrl, authority }: Known, stop?: AbortSignal): Fetch {
  const origins = [serverUrl, authority ?? serverUrl].map((address) => new URL(address).origin);
  const isTrusted = authority !== undefined || isLoopback(serverUrl);
  return async (address, init) => {
    const url = address instanceof Request ? address.url : String(address);
    const isOurs = origins.includes(URL.parse(url)?.origin ?? "");
    if (!isOurs && !isSecure(url)) throw new OAuthProblem("one of its addresses is not https", true);
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const signal = stop === undefined ? limit : AbortSignal.any([limit, stop]);
    const go = isOurs || isTrusted ? fetch : guarded;
    const response = await go(url, { redirect: "manual", ...init, signal });
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
