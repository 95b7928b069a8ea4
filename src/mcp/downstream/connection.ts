/** Joins handshake, hand-written calls and notifications into one `Downstream`. */
import { hasTasks } from "./announced.ts";
import { watchChanges } from "./changes.ts";
import type { Downstream } from "./downstream.ts";
import type { Handshake } from "./handshake.ts";
import { listenInBand } from "./in-band.ts";
import { knownTools } from "./known-tools.ts";
import { legacyTasks } from "./legacy-tasks.ts";
import { modernTasks } from "./modern-tasks.ts";
import { optionalLists } from "./optional-lists.ts";
import { type ConnectOptions, type Schedule, scheduleWithTimers } from "./options.ts";
import { otherRequests } from "./other-requests.ts";
import type { RawCalls } from "./raw-calls.ts";
import { toolCalls } from "./tool-call.ts";

const DEBOUNCE_MS = 500;

export interface ConnectionParts {
  readonly handshake: Handshake;
  readonly calls: RawCalls;
  /** True where `x-mcp-header` counts: modern Streamable HTTP. */
  readonly mirrorsHeaders: boolean;
  readonly pid?: number | undefined;
  stderr(): readonly string[];
  /** Ends what is under the client: the process, the session. */
  closeTransport(): Promise<void>;
}

export interface Connection {
  readonly downstream: Downstream;
  /** The connection broke: settles every open call, then tells the owner. */
  broke(reason: string): void;
}

/** Makes the connection, already open. */
export function createConnection(parts: ConnectionParts, options: ConnectOptions): Connection {
  const { handshake, calls } = parts;
  const { era } = handshake.introduction;
  const may = { questions: options.elicitation === true, tasks: options.tasks === true && hasTasks(handshake.introduction) };
  const schedule = options.schedule ?? scheduleWithTimers;
  let over: Promise<void> | undefined;
  let closed = false;

  const { events } = options;
  const onWarning = (text: string) => options.onWarning?.(text);
  const inBand = listenInBand(handshake.client, may.questions ? events.onQuestion?.bind(events) : undefined);
  const known = knownTools({
    calls,
    hasTools: "tools" in handshake.introduction.capabilities,
    mirrorsHeaders: parts.mirrorsHeaders,
    onWarning,
  });
  const tools = debounce(schedule, () => events.onToolsChanged());
  const prompts = debounce(schedule, () => events.onPromptsChanged());
  const resources = debounce(schedule, () => events.onResourcesChanged());
  const changes = watchChanges(handshake.client, calls, schedule, {
    onTools: tools.call,
    onPrompts: prompts.call,
    onResources: resources.call,
    onResource: (uri) => events.onResourceUpdated(uri),
  });
  const lists = optionalLists({
    capabilities: handshake.introduction.capabilities,
    request: (method, params) => calls.request({ method, params }),
    onWarning,
  });

  function end(reason: string): Promise<void> {
    over ??= (async () => {
      changes.stop();
      for (const { callOff } of [tools, prompts, resources]) callOff();
      calls.end(reason);
      await parts.closeTransport().catch(() => undefined);
      await handshake.client.close().catch(() => undefined);
    })();
    return over;
  }

  return {
    downstream: {
      introduction: handshake.introduction,
      ...(parts.pid === undefined ? {} : { pid: parts.pid }),
      call: toolCalls({ era, calls, tools: known, inBand, may, mirrorsHeaders: parts.mirrorsHeaders, taskTtlMs: options.taskTtlMs }),
      ...(may.tasks && { tasks: era === "modern" ? modernTasks(calls, may) : legacyTasks(calls) }),
      listTools: known.list,
      request: otherRequests({ era, calls, may }),
      listPrompts: lists.prompts,
      listResources: lists.resources,
      subscribe: changes.subscribe,
      unsubscribe: changes.unsubscribe,
      stderr: parts.stderr,
      close() {
        closed = true;
        return end("closed");
      },
    },
    broke(reason) {
      if (over !== undefined) return;
      void end(reason);
      // In a later turn, when whoever awaits an outcome has seen it.
      setImmediate(() => {
        if (!closed) events.onClosed(reason);
      });
    },
  };
}

/** The first call starts the wait and later ones change nothing, so a steady stream of them cannot put it off for ever. */
function debounce(schedule: Schedule, callback: () => void): { readonly call: () => void; readonly callOff: () => void } {
  let waiting: (() => void) | undefined;
  return {
    call() {
      waiting ??= schedule(() => {
        waiting = undefined;
        callback();
      }, DEBOUNCE_MS);
    },
    callOff: () => waiting?.(),
  };
}
