/** Prompts, resources and completions as MCP has them. What is fetched is a recorded call like any other; its answer is the server's own. */
import type { Scope } from "../../events/policy.ts";
import type { Ask, Question } from "../calls/ask.ts";
import { type NativeAnswer, nativeAnswerOf, notThere } from "../calls/native-answer.ts";
import type { DownstreamRequest } from "../mcp/downstream/downstream.ts";
import type { Brought, Listings, Page, Session, Surface } from "../mcp/upstream/backend.ts";
import type { Runtime } from "../runtime/turn.ts";
import { passedOn } from "./backend.ts";
import { callerOf } from "./caller.ts";
import { createNativeChanges, type NativeChangePorts } from "./native-changes.ts";
import { createNativeDefinitions, GET_PROMPT, READ_RESOURCE, visibleTo } from "./native-lists.ts";
import { ownerOf } from "./resource-owner.ts";
import { createResourceWatches, type ResourceWatchPorts } from "./resource-watches.ts";
import type { Sessions } from "./sessions.ts";

export interface SurfacePorts extends NativeChangePorts, Pick<ResourceWatchPorts, "subscribe"> {
  readonly runtime: Pick<Runtime, "catalogue" | "stateOf">;
  readonly ask: Ask;
  readonly sessions: Pick<Sessions, "touch">;
  readonly documentOf: (hash: string) => unknown;
  /** A request that is no call, answered within the limit. Never rejects. */
  readonly inquire: (
    to: { readonly server: string; readonly session: string },
    request: DownstreamRequest,
    limitMs: number,
  ) => Promise<NativeAnswer>;
  /** What a server says it can do; undefined while it is away. */
  readonly capabilitiesOf: (server: string) => Readonly<Record<string, unknown>> | undefined;
  /** True while a server makes its first attempt: the lists may soon be longer. */
  readonly settling: () => boolean;
}

const PAGE = 1000;
const LIST_TTL_MS = 60_000;
const COMPLETION_MS = 10_000;
const METHOD_NOT_FOUND = -32601;
const NO_COMPLETION: NativeAnswer = { ok: true, result: { completion: { values: [], total: 0, hasMore: false } } };
const NO_PROMPT = "there is no such prompt here; prompts/list tells which there are";

export function createSurface(ports: SurfacePorts): Surface {
  const { runtime, ask, sessions, inquire } = ports;
  const definitions = createNativeDefinitions(ports.documentOf);
  const changes = createNativeChanges(ports);
  const scopeOf = ({ principal, client }: Session): Scope => ({ profile: principal.profile, ...(client !== undefined && { client }) });
  const visible = (session: Session) => visibleTo(runtime.catalogue(), scopeOf(session));
  const owner = (session: Session, uri: string) => ownerOf(visible(session), uri, definitions.declaredBy);
  const watch = createResourceWatches({
    subscribe: ports.subscribe,
    mayRead: (session, server) => visible(session).servers.some(({ name, id }) => name === server.name && id === server.id),
  });

  const listing: { readonly [K in keyof Listings]: (session: Session) => readonly Listings[K][] } = {
    prompts: (session) => definitions.prompts(visible(session)),
    resources: (session) => definitions.resources(visible(session)).resources,
    templates: (session) => definitions.resources(visible(session)).templates,
  };
  const call = (session: Session, name: string, args: Question["arguments"], brought: Brought, fault: string | undefined) => {
    sessions.touch(session.id);
    return ask({
      ...callerOf(session, brought.meta),
      name,
      arguments: args,
      native: true,
      ...passedOn(brought),
      ...(fault !== undefined && { refusal: { code: "tool_not_found", rule: "native-name", reason: fault } }),
    });
  };

  return {
    list(session, what, cursor) {
      changes.seen(scopeOf(session));
      return pageOf(listing[what](session), keyOf[what], cursor, ports.settling() ? 0 : LIST_TTL_MS);
    },
    async getPrompt(session, name, args, brought) {
      const offer = visible(session).prompts.get(name);
      const asked = offer ? { server_name: offer.server, prompt_name: offer.tool } : { prompt_name: name };
      const end = await call(session, GET_PROMPT, { ...asked, arguments: args }, brought, offer ? undefined : NO_PROMPT);
      return nativeAnswerOf(end, name, "messages");
    },
    async readResource(session, uri, brought) {
      const found = owner(session, uri);
      const asked = "reason" in found ? { uri } : { server_name: found.server.name, uri: found.uri };
      const end = await call(session, READ_RESOURCE, asked, brought, "reason" in found ? found.reason : undefined);
      const answer = nativeAnswerOf(end, READ_RESOURCE, "contents");
      return answer.ok || !("reason" in found) ? answer : notThere(found.reason, { uri });
    },
    async complete(session, { ref, argument, context }, { signal }) {
      const offer = ref.type === "ref/prompt" ? visible(session).prompts.get(ref.name) : undefined;
      const found = ref.type === "ref/resource" ? owner(session, ref.uri) : { reason: NO_PROMPT };
      if (!offer && "reason" in found) return notThere(found.reason);
      const server = offer ? offer.server : "server" in found ? found.server.name : "";
      const own = offer ? { type: "ref/prompt", name: offer.tool } : { type: "ref/resource", uri: "uri" in found ? found.uri : "" };
      const capabilities = ports.capabilitiesOf(server);
      if (capabilities && !("completions" in capabilities)) return NO_COMPLETION;
      const request = { method: "completion/complete", params: { ref: own, argument, ...(context && { context }) } };
      const answer = await inquire({ server, session: session.id }, { ...request, ...(signal && { signal }) }, COMPLETION_MS);
      if (!answer.ok) return answer.error.code === METHOD_NOT_FOUND ? NO_COMPLETION : answer;
      return isCompletion(answer.result) ? answer : NO_COMPLETION;
    },
    async watch(session, uri, heard) {
      const found = owner(session, uri);
      return "reason" in found ? notThere(found.reason, { uri }) : watch(session, found, heard);
    },
    onChanged: changes.onChanged,
  };
}

const keyOf: { readonly [K in keyof Listings]: (entry: Listings[K]) => string } = {
  prompts: ({ name }) => name,
  resources: ({ uri }) => uri,
  templates: ({ uriTemplate }) => uriTemplate,
};

/** A cursor is the key of the entry that ended the page before. */
function pageOf<T>(all: readonly T[], key: (entry: T) => string, cursor: string | undefined, ttlMs: number): Page<T> | undefined {
  const from = cursor === undefined ? 0 : all.findLastIndex((entry) => key(entry) === cursor) + 1;
  if (cursor !== undefined && from === 0) return undefined;
  const entries = all.slice(from, from + PAGE);
  const last = entries.at(-1);
  return { entries, ttlMs, ...(last !== undefined && from + PAGE < all.length && { nextCursor: key(last) }) };
}

const isCompletion = ({ completion }: { readonly completion?: unknown }): boolean =>
  typeof completion === "object" && completion !== null && "values" in completion && Array.isArray(completion.values);
