/** What a request to the SDK's server brings along: its `_meta`, who sent it, earlier answers, how it is called off, whom to tell of progress. */
import { INVALID_PARAMS, ProtocolError, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Brought } from "./backend.ts";
import { legacyAbilities, modernAbilities } from "./client-abilities.ts";
import { elicitOf } from "./elicit.ts";
import { markedRefusal } from "./tool-call.ts";

export interface BroughtParts {
  readonly era: "legacy" | "modern";
  readonly onError: (error: unknown) => void;
}

/** Runs the work; its answer comes after all progress that was reported meanwhile. */
export async function withBrought<T>(
  server: Server,
  context: ServerContext,
  { era, onError }: BroughtParts,
  work: (brought: Brought) => Promise<T>,
): Promise<T> {
  const { mcpReq } = context;
  const refusal = markedRefusal(mcpReq._meta);
  if (refusal !== undefined) throw new ProtocolError(INVALID_PARAMS, refusal.message);
  const relayed: Promise<void>[] = [];
  const token = mcpReq._meta?.progressToken;
  const meta = { ...mcpReq._meta, ...mcpReq.envelope };
  const client = era === "modern" ? modernAbilities(mcpReq.envelope) : legacyAbilities(server);
  const state = mcpReq.requestState();
  const brought: Brought = {
    client,
    signal: ownReasons(mcpReq.signal),
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(token !== undefined && {
      onProgress: (progress) => {
        const sent = mcpReq.notify({ method: "notifications/progress", params: { ...progress, progressToken: token } });
        relayed.push(sent.catch(onError));
      },
    }),
    ...(mcpReq.inputResponses !== undefined && { inputResponses: mcpReq.inputResponses }),
    ...(typeof state === "string" && { requestState: state }),
    ...(era === "legacy" && client.elicitation && { elicit: elicitOf(context) }),
  };
  try {
    return await work(brought);
  } finally {
    await Promise.all(relayed);
  }
}

/** The SDK aborts with reasons of its own when a connection ends; ours are two words. */
function ownReasons(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason === "cancelled" ? "cancelled" : "disconnected");
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return controller.signal;
}
