/** Keeps one downstream server connected, for ever, and reports what it offers. */
import { serverAddress } from "../../actors/address.ts";
import type { CallOutcome, CallRequest, Downstream, DownstreamEvents, DownstreamRequest, Target } from "../mcp/downstream/downstream.ts";
import type { StopSignal } from "../mcp/stop.ts";
import type { Command } from "../runtime/event-log.ts";
import type { Secret } from "../secrets/secret-set.ts";
import { didNotTake } from "./health.ts";
import { createLink, introductionOf, type Link } from "./link.ts";
import { type ConnectionSettings, createPace } from "./pace.ts";
import type { Offering, SurfacePorts } from "./surface.ts";

export type ConnectionState = "connecting" | "connected" | "disconnected";
/** One server that is to be connected. A changed `identity` makes a new connection. */
export interface Wanted extends Offering {
  readonly identity: string;
  readonly target: Target;
  /** What the target holds of secrets. */
  readonly secrets?: readonly Secret[];
}
export interface ConnectionPorts extends SurfacePorts {
  /** 0 … 1, for the jitter of the pauses. */
  readonly random: () => number;
  /** With the signal it gives up, and leaves no process behind. */
  readonly connect: (wanted: Wanted, events: DownstreamEvents, signal: AbortSignal) => Promise<Downstream>;
  /** Takes secrets out of error texts and of what a server calls itself. */
  readonly redact: (text: string) => string;
  /** In force now. */
  readonly settings: () => ConnectionSettings;
  /** A resource that somebody subscribed to changed, or may have. */
  readonly onResourceUpdated: (server: string, uri: string) => void;
}
export interface Connection {
  readonly wanted: Wanted;
  readonly state: ConnectionState;
  readonly downstream: Downstream | undefined;
  /** Redacted, of the last attempt that failed. */
  readonly lastError: string | undefined;
  /** Lists again what it offers, if it is connected. */
  refresh(): void;
  /** Tries now instead of at the end of the pause. */
  hurry(): void;
  /** The settings may have changed. */
  retime(): void;
  /** Both never reject. */
  call(request: CallRequest): Promise<CallOutcome>;
  request(request: DownstreamRequest): Promise<CallOutcome>;
  /** Until `unsubscribe`, over every connection to come; forgotten when the server refuses. Never reject. */
  subscribe(uri: string): Promise<CallOutcome>;
  unsubscribe(uri: string): Promise<CallOutcome>;
  /** No new calls; ends when the open ones have their answers, at the latest after `graceMs`. */
  retire(graceMs: number): Promise<void>;
}

/** A connection that did not last so long counts as one more failure. */
const LASTING_MS = 10_000;
const UNREACHABLE = "the server cannot be reached";
const NOT_CONNECTED: CallOutcome = { kind: "not_sent", reason: "not connected" };

export function keepConnected(wanted: Wanted, ports: ConnectionPorts): Connection {
  const { clock, random, settings } = ports;
  let state: ConnectionState = "connecting";
  let link: Link | undefined;
  let lastError: string | undefined;
  let isRetired = false;
  let connectedAt = 0;
  let attempting = Promise.resolve();
  const links = new Set<Link>();
  const subscribed = new Set<string>();
  const givingUp = new AbortController();
  const tell = (command: Command) => ports.runtime.enter(serverAddress(wanted.name), command).catch(() => undefined); // recorded as turn.failed

  const attempt = async () => {
    state = "connecting";
    let own: Link | undefined;
    const isCurrent = () => own !== undefined && link === own && !isRetired;
    const onGone = (reason: string) => void (isCurrent() && lost(reason));
    const onChanged = () => void own?.read().catch(() => undefined); // a list that cannot be had is not an empty list
    const events: DownstreamEvents = {
      onClosed: onGone,
      onToolsChanged: onChanged,
      onPromptsChanged: onChanged,
      onResourcesChanged: onChanged,
      onResourceUpdated: (uri) => ports.onResourceUpdated(wanted.name, uri),
    };
    try {
      const downstream = await ports.connect(wanted, events, givingUp.signal);
      if (isRetired) return await downstream.close();
      own = createLink(wanted, downstream, isCurrent, ports);
      links.add(own);
      link = own;
      await own.read();
      if (!isCurrent()) return; // it went away meanwhile
      state = "connected";
      connectedAt = clock.now();
      lastError = undefined;
      own.watch({ clock, settings, onGone: () => onGone(UNREACHABLE) });
      await tell({ type: "connected", ...introductionOf(downstream, wanted.id, ports.redact) });
      for (const uri of subscribed) void downstream.subscribe(uri).then(() => ports.onResourceUpdated(wanted.name, uri));
    } catch (error) {
      if (own && !isCurrent()) return;
      if (own) release(own);
      failed(error instanceof Error ? error.message : "it cannot be reached");
      if (!isRetired) pace.failed();
    }
  };
  const pace = createPace({
    clock,
    random,
    settings,
    attempt() {
      attempting = Promise.all([attempting, attempt()]).then(() => undefined);
    },
    onRest: () => void tell({ type: "unreachable", reason: UNREACHABLE }),
  });
  const failed = (reason: string) => {
    state = "disconnected";
    lastError = ports.redact(reason);
  };
  const lost = (reason: string) => {
    const wasConnected = state === "connected";
    if (link) release(link);
    failed(reason);
    if (wasConnected) void tell({ type: "disconnected", reason: "the connection ended" });
    if (wasConnected && clock.now() - connectedAt > LASTING_MS) pace.lost();
    else pace.failed();
  };
  /** Nobody new gets it; whoever has it keeps it until the call ends. */
  const release = (old: Link) => {
    link = undefined;
    void old.release().then(() => links.delete(old));
  };
  const use = async (send: (downstream: Downstream) => Promise<CallOutcome>, signal: StopSignal | undefined): Promise<CallOutcome> => {
    const used = link;
    if (!used) return NOT_CONNECTED;
    const outcome = await used.use(send);
    // Health is what calls meet: who cannot be reached by this one is not there for the next.
    if (didNotTake(outcome) && signal?.aborted !== true && link === used && !isRetired) lost(UNREACHABLE);
    return outcome;
  };

  pace.now();
  return {
    wanted,
    get state() {
      return state;
    },
    get downstream() {
      return link?.downstream;
    },
    get lastError() {
      return lastError;
    },
    refresh: () => void link?.read().catch(() => undefined),
    hurry() {
      if (!isRetired && state === "disconnected") pace.now();
    },
    retime() {
      link?.retime();
      pace.retime();
    },
    call: (request) => use((downstream) => downstream.call(request), request.signal),
    request: (request) => use((downstream) => downstream.request(request), request.signal),
    async subscribe(uri) {
      subscribed.add(uri);
      const outcome = (await link?.downstream.subscribe(uri)) ?? NOT_CONNECTED;
      if (outcome.kind === "rpc_error") subscribed.delete(uri);
      return outcome;
    },
    async unsubscribe(uri) {
      subscribed.delete(uri);
      return (await link?.downstream.unsubscribe(uri)) ?? NOT_CONNECTED;
    },
    async retire(graceMs) {
      isRetired = true;
      pace.stop();
      const ending = [...links];
      const { promise: graceOver, resolve } = Promise.withResolvers<void>();
      const stopGrace = clock.after(graceMs, resolve);
      await Promise.race([graceOver, Promise.all(ending.map((each) => each.release()))]);
      stopGrace();
      link = undefined;
      state = "disconnected";
      givingUp.abort();
      await Promise.all([...ending.map(({ downstream }) => downstream.close()), attempting]);
    },
  };
}
