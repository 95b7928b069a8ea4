/** Keeps one downstream server connected: tries, lists its tools, reports, and tries again with growing pauses, for ever. */
import { REGISTRY, serverAddress } from "../../actors/address.ts";
import type { Declared } from "../../actors/registry-commands.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import type { CallOutcome, CallRequest, Downstream, DownstreamEvents, Target, ToolDefinition } from "../mcp/downstream/downstream.ts";
import { CanonicalError } from "../observe/canonical.ts";
import type { Command } from "../runtime/event-log.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Secret } from "../secrets/secret-set.ts";

export type ConnectionState = "connecting" | "connected" | "disconnected";
/** One server of this incarnation. A changed `identity` makes a new connection; `address` is the digest of its argv or url as written. */
export interface Wanted {
  readonly name: string;
  readonly id: string;
  readonly identity: string;
  readonly address: string;
  readonly target: Target;
  /** What the target holds of secrets. */
  readonly secrets?: readonly Secret[];
}
export interface ConnectionPorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly clock: Clock;
  /** 0 … 1, for the jitter of the pauses. */
  readonly random: () => number;
  /** With the signal it gives up, and leaves no process behind. */
  readonly connect: (wanted: Wanted, events: DownstreamEvents, signal: AbortSignal) => Promise<Downstream>;
  /** Stores a tool's definition by its hash, and tells what the registry needs of it. */
  readonly declare: (wanted: Wanted, tool: ToolDefinition) => Declared;
  /** Takes secrets out of error texts and of what a server calls itself. */
  readonly redact: (text: string) => string;
  readonly firstPauseMs: number;
}
export interface Connection {
  readonly wanted: Wanted;
  readonly state: ConnectionState;
  readonly downstream: Downstream | undefined;
  /** Redacted, of the last attempt that failed. */
  readonly lastError: string | undefined;
  readonly toolCount: number;
  /** Lists its tools again, if it is connected. */
  refresh(): void;
  /** Tries now instead of at the end of the pause. */
  hurry(): void;
  call(call: OpenCall, request: CallRequest): Promise<CallOutcome>;
  /** No new calls; ends when the open ones have their answers, at the latest after `graceMs`. */
  retire(graceMs: number): Promise<void>;
}

const LONGEST_PAUSE_MS = 60_000;
const CONNECTED_AGAIN_MS = 10_000;
/** A list that cannot be had is not an empty list: the last known one stays. */
const keepList = () => undefined;
const UNHEARD = { onPromptsChanged: keepList, onResourcesChanged: keepList, onResourceUpdated: keepList };

export function keepConnected(wanted: Wanted, ports: ConnectionPorts): Connection {
  const { runtime, clock, random } = ports;
  const address = serverAddress(wanted.name);
  let state: ConnectionState = "connecting";
  let downstream: Downstream | undefined;
  let lastError: string | undefined;
  let toolCount = 0;
  let retired = false;
  let failures = 0;
  let openCalls = 0;
  let onIdle: (() => void) | undefined;
  let stopPause: (() => void) | undefined;
  let connectedAt = 0;
  let refreshes = 0;
  let attempting = Promise.resolve();
  const givingUp = new AbortController();

  const enter = (to: string, command: Command) => runtime.enter(to, command).catch(() => undefined); // recorded as turn.failed

  const attempt = async () => {
    stopPause = undefined;
    if (retired || state === "connected") return;
    state = "connecting";
    try {
      const onToolsChanged = () => void refresh().catch(keepList);
      const made = await ports.connect(wanted, { ...UNHEARD, onClosed: lost, onToolsChanged }, givingUp.signal);
      if (retired) return await made.close();
      downstream = made;
      await refresh();
      if (downstream !== made) return; // it went away while its tools were listed
      const { era, eraGuessed, protocolVersion, transport, serverInfo } = made.introduction;
      const implementation = ports.redact(`${serverInfo.name} ${serverInfo.version}`);
      state = "connected";
      connectedAt = clock.now();
      lastError = undefined;
      const introduced = { id: wanted.id, era, ...(eraGuessed && { eraGuessed }), protocolVersion, transport, implementation };
      await enter(address, { type: "connected", ...introduced });
    } catch (error) {
      const ending = downstream;
      downstream = undefined;
      failed(error instanceof Error ? error.message : "it cannot be reached");
      await ending?.close();
    }
  };
  const refresh = async () => {
    const from = downstream;
    if (!from) return;
    const round = ++refreshes;
    const tools = await from.listTools();
    if (downstream !== from || round !== refreshes) return; // a later list is on its way
    toolCount = tools.length;
    await enter(REGISTRY, { type: "surface", server: wanted.name, id: wanted.id, tools: tools.flatMap(declared) });
  };
  /** A definition that JSON cannot say (1e400, or nested without end) takes that tool out, not its server. */
  const declared = (tool: ToolDefinition): Declared[] => {
    try {
      return [ports.declare(wanted, tool)];
    } catch (error) {
      if (error instanceof CanonicalError) return [];
      throw error;
    }
  };
  const failed = (reason: string) => {
    state = "disconnected";
    lastError = ports.redact(reason);
    if (retired) return;
    void enter(address, { type: "unreachable", reason: "the server cannot be reached" });
    pause();
  };
  const lost = (reason: string) => {
    downstream = undefined;
    if (retired) return;
    if (clock.now() - connectedAt > CONNECTED_AGAIN_MS) failures = 0;
    const wasConnected = state === "connected";
    state = "disconnected";
    lastError = ports.redact(reason);
    if (wasConnected) void enter(address, { type: "disconnected", reason: "the connection ended" });
    pause();
  };
  const pause = () => {
    if (stopPause) return;
    const full = Math.min(ports.firstPauseMs * 2 ** failures++, LONGEST_PAUSE_MS);
    stopPause = clock.after(full * (0.5 + random() / 2), begin);
  };
  const begin = () => {
    attempting = Promise.all([attempting, attempt()]).then(() => undefined);
  };

  begin();
  return {
    wanted,
    get state() {
      return state;
    },
    get downstream() {
      return downstream;
    },
    get lastError() {
      return lastError;
    },
    get toolCount() {
      return toolCount;
    },
    refresh: () => void refresh().catch(keepList),
    hurry() {
      if (!stopPause || retired) return;
      stopPause();
      begin();
    },
    async call(_, request) {
      const through = downstream;
      if (!through) return { kind: "not_sent", reason: "not connected" };
      openCalls++;
      try {
        const outcome = await through.call(request);
        // Health is what calls meet: who cannot be reached by this one is not there for the next.
        if (outcome.kind === "not_sent" && outcome.status === undefined && downstream === through) {
          lost("the server cannot be reached");
          if (openCalls === 1) void through.close();
        }
        return outcome;
      } finally {
        if (--openCalls === 0) onIdle?.();
      }
    },
    async retire(graceMs) {
      retired = true;
      stopPause?.();
      if (openCalls > 0)
        await new Promise<void>((resolve) => {
          onIdle = resolve;
          clock.after(graceMs, resolve);
        });
      const ending = downstream;
      downstream = undefined;
      state = "disconnected";
      givingUp.abort();
      await Promise.all([ending?.close(), attempting]);
    },
  };
}
