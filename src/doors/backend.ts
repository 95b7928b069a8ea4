/** What stands behind the MCP edge: sessions, the published tools, and the one way in for calls. */
import { BUILTIN, serverAddress } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { answerOf, toToolResult } from "../calls/answer.ts";
import type { Ask } from "../calls/ask.ts";
import type { CallViews } from "../calls/views.ts";
import type { Progress, ToolDefinition } from "../mcp/downstream/downstream.ts";
import type { Backend, Session, ToolCall } from "../mcp/upstream/backend.ts";
import type { Sessions } from "./sessions.ts";

export interface BackendPorts {
  readonly version: string;
  readonly ask: Ask;
  readonly sessions: Sessions;
  readonly views: CallViews;
  readonly catalogue: () => Catalogue;
  readonly definitionOf: (hash: string) => ToolDefinition | undefined;
  /** True while a server makes its first attempt: the list may soon be longer. */
  readonly settling: () => boolean;
  /** Called back with every change of what is published. */
  readonly onPublished: (listener: () => void) => () => void;
}

const LIST_TTL_MS = 60_000;
const OUR_META = /^(toolcrib\/|io\.modelcontextprotocol\/)/;
export const NOTICES_KEY = "toolcrib/notices";
const IDEMPOTENCY_KEY = "toolcrib/idempotencyKey";
const KEY_REFUSAL = { code: "invalid_arguments", rule: "idempotency-key", reason: "an idempotency key is a text" } as const;

/** The list of one catalogue is made once: same catalogue, same order, same objects. */
export function publishedTools(definitionOf: BackendPorts["definitionOf"]): (catalogue: Catalogue) => readonly ToolDefinition[] {
  const made = new WeakMap<Catalogue, readonly ToolDefinition[]>();
  const listOf = (catalogue: Catalogue): readonly ToolDefinition[] => {
    const own = (name: string) => Number(serverAddress(name) !== serverAddress(BUILTIN));
    const servers = [...catalogue.servers.values()].sort((a, b) => own(a.name) - own(b.name) || (a.name < b.name ? -1 : 1));
    return servers.flatMap(({ name: server, offers, origin }) =>
      [...offers.values()].flatMap(({ name, hash, tool }) => {
        const definition = authorise(catalogue, name).allowed ? definitionOf(hash) : undefined;
        if (!definition) return [];
        if (origin === "builtin" || catalogue.naming === "bare") return [{ ...definition, name }];
        return [{ ...definition, name, description: `[${server}] ${definition.description ?? tool}` }];
      }),
    );
  };
  return (catalogue) => {
    const before = made.get(catalogue);
    if (before) return before;
    const list = listOf(catalogue);
    made.set(catalogue, list);
    return list;
  };
}

/** `_meta` as it goes downstream: trace context and the like, without what is only between the client and us. */
function passedMeta(meta: ToolCall["meta"]): Record<string, unknown> | undefined {
  if (!meta) return undefined;
  const passed = Object.entries(meta).filter(([key]) => key !== "progressToken" && !OUR_META.test(key));
  return passed.length > 0 ? Object.fromEntries(passed) : undefined;
}

const PROGRESS_BURST = 10;
const PROGRESS_EVERY_MS = 100;

/** A burst of ten, then at most ten a second: what comes faster is left out, the next one that passes says more anyway. */
export function paced(onProgress: (progress: Progress) => void, now: () => number = Date.now): (progress: Progress) => void {
  let left = PROGRESS_BURST;
  let since = now();
  return (progress) => {
    const gained = Math.floor((now() - since) / PROGRESS_EVERY_MS);
    since += gained * PROGRESS_EVERY_MS;
    left = Math.min(PROGRESS_BURST, left + gained);
    if (left === 0) return;
    left--;
    onProgress(progress);
  };
}

export function createBackend(ports: BackendPorts): Backend {
  const { ask, sessions, views, catalogue } = ports;
  const toolsOf = publishedTools(ports.definitionOf);
  return {
    info: { name: "toolcrib", version: ports.version, title: "toolcrib" },
    capabilities: { tools: { listChanged: true } },
    instructions: () =>
      "Tools of several MCP servers behind one log. Typed tools are named {server}__{tool}; mcp_list_services lists the servers. " +
      "If a result says that a call may have been carried out, verify before repeating it, then settle it with resolve_call.",
    openSession: ({ client, ...request }) => sessions.open({ ...request, client: client.name }),
    resumeSession: (connection, principal) => sessions.resume(connection, principal),
    closeConnection: (session, connection) => sessions.closeConnection(session, connection),
    listTools(session) {
      const notices = sessions.noticesOf(session.id);
      const list = { tools: toolsOf(catalogue()), ttlMs: ports.settling() ? 0 : LIST_TTL_MS };
      return notices.length > 0 ? { ...list, meta: { [NOTICES_KEY]: notices } } : list;
    },
    async callTool(session: Session, { name, arguments: args, meta, signal, onProgress }: ToolCall) {
      sessions.touch(session.id);
      const passed = passedMeta(meta);
      const key = meta?.[IDEMPOTENCY_KEY];
      const end = await ask({
        caller: { session: session.id, agent: session.principal.agent },
        name,
        arguments: args,
        ...(passed && { meta: passed }),
        ...(typeof key === "string" && { idempotencyKey: key }),
        ...(key !== undefined && typeof key !== "string" && { refusal: KEY_REFUSAL }),
        ...(signal && { signal }),
        ...(onProgress && { onProgress: paced(onProgress) }),
      });
      return toToolResult(answerOf(end, name, views));
    },
    isPlain: () => true,
    onToolsChanged: (listener) => ports.onPublished(() => listener("all")), // whatever was published, everybody sees the same tools,
  };
}
