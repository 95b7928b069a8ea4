/** Asks a hook that is an address: the input as the body of a POST, the answer as the body of what comes back. */

import { type GuardedFetch, GuardRefusal } from "../net/guarded-fetch.ts";
import { DEPTH_HEADER } from "../observe/hook-depth.ts";
import { type HookReply, MAX_HOOK_BYTES } from "./hook-reply.ts";

/** Any status but 2xx is a failure. Never rejects. */
export async function runHookHttp(fetch: GuardedFetch, url: string, input: object, signal: AbortSignal, pass: string): Promise<HookReply> {
  try {
    const headers = { "content-type": "application/json", accept: "application/json", [DEPTH_HEADER]: pass };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(input), signal });
    if (!response.ok) {
      await response.body?.cancel();
      return { kind: "failed", reason: `it answered with status ${response.status}` };
    }
    const text = await bounded(response);
    return text === undefined ? { kind: "failed", reason: `its answer is longer than ${MAX_HOOK_BYTES} bytes` } : { kind: "output", text };
  } catch (error) {
    return { kind: "failed", reason: error instanceof GuardRefusal ? error.message : "it cannot be reached" };
  }
}

async function bounded(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_HOOK_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
