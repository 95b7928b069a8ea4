/** Prompts, resources, completions and legacy subscriptions on the SDK's server of one session. */
import {
  type CompleteResult,
  type GetPromptResult,
  INVALID_PARAMS,
  type InputRequiredResult,
  ProtocolError,
  type ReadResourceResult,
  type Server,
} from "@modelcontextprotocol/server";
import type { Answer, Listings, Session, Surface, Watching } from "./backend.ts";
import { withBrought } from "./brought.ts";
import { isQuestion } from "./interim.ts";
import type { JsonObject } from "./json.ts";

export interface SurfaceParts {
  readonly session: Session;
  readonly era: "legacy" | "modern";
  readonly onError: (error: unknown) => void;
}

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
/** Header mismatch, missing client capability, protocol version: about the way to the server, not about ours. */
const ABOUT_A_HOP = new Set([-32020, -32021, -32022]);

/** The result, or the error thrown. */
function told(answer: Answer): JsonObject {
  if (answer.ok) return answer.result;
  const { code, message, data } = answer.error;
  // To a client "method not found" would say that we have no prompts or resources at all.
  const own = code === METHOD_NOT_FOUND ? INVALID_PARAMS : ABOUT_A_HOP.has(code) ? INTERNAL_ERROR : code;
  throw new ProtocolError(own, message, data);
}

export function offerSurface(server: Server, surface: Surface, parts: SurfaceParts): void {
  const { session, era, onError } = parts;
  const list = <K extends keyof Listings>(what: K, params: { readonly cursor?: string | undefined } | undefined) => {
    const page = surface.list(session, what, params?.cursor);
    if (page === undefined) throw new ProtocolError(INVALID_PARAMS, "Invalid params: unknown cursor; begin the list anew");
    const { entries, nextCursor, ttlMs } = page;
    const hints = era === "modern" ? { ttlMs, cacheScope: "private" as const } : {};
    return { entries: [...entries] as never[], rest: { ...(nextCursor !== undefined && { nextCursor }), ...hints } };
  };
  server.setRequestHandler("prompts/list", ({ params }) => {
    const { entries, rest } = list("prompts", params);
    return { prompts: entries, ...rest };
  });
  server.setRequestHandler("resources/list", ({ params }) => {
    const { entries, rest } = list("resources", params);
    return { resources: entries, ...rest };
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    const { entries, rest } = list("templates", params);
    return { resourceTemplates: entries, ...rest };
  });

  server.setRequestHandler("prompts/get", ({ params }, context) =>
    withBrought(server, context, parts, async (brought) => {
      return told(await surface.getPrompt(session, params.name, params.arguments ?? {}, brought)) as GetPromptResult | InputRequiredResult;
    }),
  );
  server.setRequestHandler("resources/read", ({ params }, context) =>
    withBrought(server, context, parts, async (brought) => {
      const given = told(await surface.readResource(session, params.uri, brought));
      if (isQuestion(given)) return given as InputRequiredResult;
      const { cacheScope: _, ...result } = given;
      return { ...result, ...(era === "modern" && { cacheScope: "private" }) } as ReadResourceResult;
    }),
  );
  server.setRequestHandler("completion/complete", ({ params }, context) =>
    withBrought(server, context, parts, async (brought) => {
      const { ref, argument, context: about } = params;
      return told(await surface.complete(session, { ref, argument, ...(about && { context: about }) }, brought)) as CompleteResult;
    }),
  );
  if (era === "legacy") offerSubscriptions(server, surface, session, onError);
}

/** A connection hears of what it has subscribed to until it ends. */
function offerSubscriptions(server: Server, surface: Surface, session: Session, onError: (error: unknown) => void): void {
  const watched = new Map<string, Promise<Watching>>();
  const leave = (asked: Promise<Watching> | undefined) => void asked?.then((watching) => watching.ok && watching.stop());
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const heard = () => void server.sendResourceUpdated({ uri }).catch(onError);
    const asked = watched.get(uri) ?? surface.watch(session, uri, heard);
    watched.set(uri, asked);
    const watching = await asked;
    if (watching.ok) return {};
    if (watched.get(uri) === asked) watched.delete(uri);
    return told(watching);
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    leave(watched.get(uri));
    watched.delete(uri);
    return {};
  });
  server.onclose = () => {
    for (const asked of watched.values()) leave(asked);
    watched.clear();
  };
}
