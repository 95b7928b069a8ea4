/** The fetch that HTTP transports use: patient, and with a bound on what a server can make us hold. */
import { HttpStatusError } from "./call-outcome.ts";

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const NEWLINE = 0x0a;

/** Waits as long as the caller does (Bun alone gives up after 300 s of silence) and lets no message above `maxBytes` through. */
export function createFetch(maxBytes: number, go: Fetch = fetch): Fetch {
  return async (url, init) => {
    const response = await go(url, { ...init, timeout: false } as RequestInit);
    return response.ok ? bounded(response, maxBytes) : response;
  };
}

/** The same for the SSE transport, whose own errors do not carry the status of a failed POST. */
export function strictly(inner: Fetch): Fetch {
  return async (url, init) => {
    const response = await inner(url, init);
    if (init?.method === "POST" && !response.ok) throw new HttpStatusError(response.status, await response.text().catch(() => ""));
    return response;
  };
}

function bounded(response: Response, maxBytes: number): Response {
  const declared = response.headers.get("content-length");
  if (response.body === null || (declared !== null && Number(declared) <= maxBytes)) return response;
  const stream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = response.body.pipeThrough(stream ? cutLines(maxBytes) : refuseAbove(maxBytes));
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

function refuseAbove(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let total = 0;
  return new TransformStream({
    transform(chunk, controller) {
      total += chunk.length;
      if (total > maxBytes) controller.error(new Error(`the answer is above the limit of ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/** An event stream carries many messages: an over-long line loses its end and so becomes unreadable, the stream goes on. */
export function cutLines(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let inLine = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = inLine > maxBytes ? chunk.indexOf(NEWLINE) : 0;
      if (lineEnd === -1) return;
      const rest = chunk.subarray(lineEnd);
      const lastEnd = rest.lastIndexOf(NEWLINE);
      inLine = lastEnd === -1 ? inLine + rest.length : rest.length - lastEnd - 1;
      controller.enqueue(rest);
    },
  });
}
