/** What stands behind the MCP edge: sessions, the published tools, and the one way in for calls. */
import { answerOf, toToolResult } from "../calls/answer.ts";
import type { Ask, Question } from "../calls/ask.ts";
import type { CallViews } from "../calls/views.ts";
import type { Progress } from "../mcp/downstream/downstream.ts";
import type { Backend, Brought, Incoming, Session, Surface, Tasks, ToolCall } from "../mcp/upstream/backend.ts";
import type { ClientAbilities } from "../mcp/upstream/client-abilities.ts";
import { DEPTH_META } from "../observe/hook-depth.ts";
import { callerOf } from "./caller.ts";
import type { Sessions } from "./sessions.ts";
import type { ToolLists } from "./tool-lists.ts";

export interface BackendPorts {
  readonly version: string;
  readonly ask: Ask;
  readonly sessions: Sessions;
  readonly views: CallViews;
  readonly lists: ToolLists;
  /** What agents of a profile are told about us when they connect. */
  readonly orientation: (profile: string) => string;
  /** Whether the client's own person may have to be asked about a call; left out: never. */
  readonly asksClient?: (session: string, call: Incoming, client: ToolCall["client"]) => boolean;
  /** Whether this agent was given this state with a question. */
  readonly knowsState?: (agent: string, state: string) => boolean;
  /** True while a server makes its first attempt: the list may soon be longer. */
  readonly settling: () => boolean;
  /** Prompts, resources and completions; without it they are not offered. */
  readonly surface?: Surface;
  /** Calls that go on as tasks; left out, or where it says undefined: there are none. */
  readonly tasks?: () => Tasks | undefined;
}

const LIST_TTL_MS = 60_000;
const OUR_META = /^(toolcrib\/|io\.modelcontextprotocol\/)/;
export const NOTICES_KEY = "toolcrib/notices";
const IDEMPOTENCY_KEY = "toolcrib/idempotencyKey";
const KEY_REFUSAL = { code: "invalid_arguments", rule: "idempotency-key", reason: "an idempotency key is a text" } as const;

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

/** What of a request goes on with the call that it makes. */
export const passedOn = ({
  meta,
  signal,
  onProgress,
  client,
  elicit,
  inputResponses,
  requestState,
}: Brought): Pick<Question, "meta" | "led" | "signal" | "onProgress" | "abilities" | "elicit" | "inputResponses" | "requestState"> => {
  const passed = passedMeta(meta);
  const led = meta?.[DEPTH_META];
  return {
    ...(passed && { meta: passed }),
    ...(led !== undefined && { led }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress: paced(onProgress) }),
    abilities: client,
    ...(elicit && { elicit }),
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
};

export function createBackend(ports: BackendPorts): Backend {
  const { ask, sessions, views, lists, surface } = ports;
  /** Where there are no tasks, nobody can be given one. */
  const followed = (client: ClientAbilities): ClientAbilities => (ports.tasks?.() ? client : { ...client, tasks: false });
  return {
    info: { name: "toolcrib", version: ports.version, title: "toolcrib" },
    capabilities: {
      tools: { listChanged: true },
      ...(surface && { prompts: { listChanged: true }, resources: { subscribe: true, listChanged: true }, completions: {} }),
    },
    instructions: (session) => ports.orientation(session?.principal.profile ?? "default"),
    openSession: ({ client, ...request }) => sessions.open({ ...request, client: client.name }),
    resumeSession: (connection, principal) => sessions.resume(connection, principal),
    closeConnection: (session, connection) => sessions.closeConnection(session, connection),
    listTools(session, request) {
      const { caller, refusal } = callerOf(session, request);
      const notices = sessions.noticesOf(session.id);
      // A client keeps a list for all its requests, however they are narrowed.
      const mayChange = ports.settling() || lists.isPersonal(session.id) || caller.narrow !== undefined;
      const list = { tools: refusal ? [] : lists.of(session.id, caller.narrow), ttlMs: mayChange || refusal ? 0 : LIST_TTL_MS };
      return notices.length > 0 ? { ...list, meta: { [NOTICES_KEY]: notices } } : list;
    },
    get tasks() {
      return ports.tasks?.();
    },
    async callTool(session: Session, { name, arguments: args, meta, askPerson, ...brought }: ToolCall) {
      sessions.touch(session.id);
      const key = meta?.[IDEMPOTENCY_KEY];
      const { caller, refusal } = callerOf(session, meta);
      const end = await ask({
        caller,
        name,
        arguments: args,
        ...(typeof key === "string" && { idempotencyKey: key }),
        ...(refusal && { refusal }),
        ...(key !== undefined && typeof key !== "string" && { refusal: KEY_REFUSAL }),
        ...passedOn({ ...brought, client: followed(brought.client), ...(meta && { meta }) }),
        ...(askPerson && { askPerson }),
      });
      return toToolResult(answerOf(end, name, views));
    },
    isPlain: ({ id }, call, client) => ports.asksClient?.(id, call, client) !== true,
    toolOf: (_, name) => lists.definition(name),
    onToolsChanged: lists.onChanged,
    knowsState: ({ principal }, state) => ports.knowsState?.(principal.agent, state) ?? true,
    ...(surface && { surface }),
  };
}
