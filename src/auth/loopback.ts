/** Waits on 127.0.0.1 for the one redirect that ends a login. */
import { timingSafeEqual } from "node:crypto";

export interface Redirect {
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly iss: string | undefined;
}
export interface Loopback {
  readonly redirectUri: string;
  /** What came with the right `state`; requests without it are refused and change nothing. */
  readonly redirect: Promise<Redirect>;
  /** Lets the answer of the browser end, and stops listening. */
  stop(): Promise<void>;
}

const PATH = "/callback";
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};
const page = (status: number, text: string): Response =>
  new Response(`<!doctype html><meta charset="utf-8"><title>toolcrib</title><p>${text}</p>`, { status, headers: HEADERS });

/** Port 0: any free one. Throws when the port is taken. */
export function listenForRedirect(port: number, state: string): Loopback {
  const { promise, resolve } = Promise.withResolvers<Redirect>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    maxRequestBodySize: 0,
    fetch(request) {
      const url = new URL(request.url);
      if (request.headers.get("host") !== `127.0.0.1:${server.port}`) return page(403, "Not for this address.");
      if (request.method !== "GET" || url.pathname !== PATH) return page(404, "There is nothing here.");
      const { searchParams } = url;
      if (!isSame(searchParams.get("state") ?? "", state)) return page(400, "This answer belongs to no login that is under way.");
      const one = (name: string) => searchParams.get(name) ?? undefined;
      resolve({ code: one("code"), error: one("error"), iss: one("iss") });
      return page(200, "toolcrib has got the answer. This window can be closed; the terminal says how it ended.");
    },
  });
  return { redirectUri: `http://127.0.0.1:${server.port}${PATH}`, redirect: promise, stop: () => server.stop() };
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
