/** A fetch that goes only where the guard lets it: the checked address is the one that is connected to, at every redirect anew. */
import { checkAddress, type Resolve } from "./guard.ts";

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface GuardOptions {
  readonly resolve: Resolve;
  /** When true nothing is looked at: the operator allows private addresses. */
  readonly allowPrivate: () => boolean;
  /** The way out; the default is the platform's. */
  readonly fetch?: (url: string, init: BunFetchRequestInit) => Promise<Response>;
}
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What a guarded request rejects with: nothing was sent to where it was not allowed. */
export class GuardRefusal extends Error {
  override readonly name = "GuardRefusal";
}

export function createGuardedFetch({ resolve, allowPrivate, fetch: go = fetch }: GuardOptions): GuardedFetch {
  const once = async (url: URL, init: RequestInit): Promise<Response> => {
    const checked = await checkAddress(url.href, resolve);
    if (!checked.ok) throw new GuardRefusal(checked.reason);
    const host = checked.address.includes(":") ? `[${checked.address}]` : checked.address;
    const pinned = new URL(url.href);
    pinned.hostname = host;
    const headers = new Headers(init.headers);
    headers.set("host", url.host);
    return go(pinned.href, { ...init, headers, redirect: "manual", tls: { serverName: url.hostname } });
  };
  return async (given, init = {}) => {
    let url = new URL(given);
    if (allowPrivate()) return go(url.href, init);
    let request = init;
    for (let hops = 0; ; hops++) {
      const response = await once(url, request);
      const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
      if (location === null) return response;
      await response.body?.cancel().catch(() => undefined);
      const next = URL.parse(location, url.href);
      if (hops >= MAX_REDIRECTS || !next || (url.protocol === "https:" && next.protocol === "http:"))
        throw new GuardRefusal("it redirects too often, or to where it must not");
      request = redirected(request, url, next, response.status);
      url = next;
    }
  };
}

/** As browsers do: a POST that is answered with 303 (or 301, 302) becomes a GET; credentials do not go to another origin. */
function redirected(request: RequestInit, from: URL, to: URL, status: number): RequestInit {
  const headers = new Headers(request.headers);
  if (from.origin !== to.origin) for (const name of ["authorization", "cookie", "proxy-authorization"]) headers.delete(name);
  const method = request.method?.toUpperCase() ?? "GET";
  const becomesGet = status === 303 ? method !== "HEAD" : method === "POST" && (status === 301 || status === 302);
  if (!becomesGet) return { ...request, headers };
  for (const name of ["content-type", "content-length"]) headers.delete(name);
  const { body: _, ...rest } = request;
  return { ...rest, method: "GET", headers };
}
