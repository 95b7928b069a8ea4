/** Keeps one downstream server connected, for ever, and reports what it offers. */
import { serverAddress } from "../../actors/address.ts";
import { authorizationRequired } from "../mcp/downstream/authorization.ts";
import type { CallOutcome, CallReply, CallRequest, Downstream, DownstreamEvents, DownstreamRequest } from "../mcp/downstream/downstream.ts";
import type { StopSignal } from "../mcp/stop.ts";
import type { Command } from "../runtime/event-log.ts";
import { notTaken } from "./health.ts";
import { createLink, introductionOf, type Link } from "./link.ts";
import { createPace } from "./pace.ts";
import type { ConnectionPorts, Wanted } from "./wanted.ts";

export type ConnectionState = "connecting" | "connected" | "disconnected";
export interface Connection {
  readonly wanted: Wanted;
  readonly state: ConnectionState;
  readonly downstream: Downstream | undefined;
  /** Redacted, of the last attempt that failed. */
  readonly lastError: string | undefined;
  /** What a person has to do before it can be connected. */
  readonly blocked: string | undefined;
  /** Lists again what it offers, if it is connected. */
  refresh(): void;
  /** Tries now instead of at the end of the pause. */
  hurry(): void;
  /** The settings may have changed. */
  retime(): void;
  /** Both never reject. */
  call(request: CallRequest): Promise<CallReply>;
  request(request: DownstreamRequest): Promise<CallReply>;
  /** On the connection that there is now; a new one asks anew for everything that is wanted then. Never reject. */
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
  let blocked: string | undefined;
  let isRetired = false;
  let connectedAt = 0;
  let attempting = Promise.resolve();
  const links = new Set<Link>();
  const givingUp = new AbortController();
  const tell = (command: Command) => ports.runtime.enter(serverAddress(wanted.name), command).catch(() => undefined); // recorded as turn.failed

  const attempt = async () => {
    state = "connecting";
    let own: Link | undefined;
    const isCurrent = () => own !== undefined && link === own && !isRetired;
    const onGone = (reason: string, toDo?: string) => void (isCurrent() && lost(reason, toDo));
    const onChanged = () => void own?.read().catch(() => undefined); // a list that cannot be had is not an empty list
    const events: DownstreamEvents = {
      onClosed: onGone,
      onToolsChanged: onChanged,
      onPromptsChanged: onChanged,
      onResourcesChanged: onChanged,
      onResourceUpdated: (uri) => ports.onResourceUpdated(wanted.name, uri),
      onQuestion: (question) => ports.onQuestion(wanted.name, question),
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
      blocked = undefined;
      own.watch({ clock, settings, onGone: (toDo) => onGone(UNREACHABLE, toDo) });
      await tell({ type: "connected", ...introductionOf(downstream, wanted.id, ports.redact) });
      for (const uri of ports.subscribed(wanted.name))
        void downstream.subscribe(uri).then(({ kind }) => kind === "result" && ports.onResourceUpdated(wanted.name, uri));
    } catch (error) {
      if (own && !isCurrent()) return;
      if (own) release(own);
      failed(error instanceof Error ? error.message : "it cannot be reached", authorizationRequired(error));
      if (isRetired) return;
      if (blocked === undefined) pace.failed();
      else pace.giveUp();
    }
  };
  const pace = createPace({
    clock,
    random,
    settings,
    attempt() {
      attempting = Promise.all([attempting, attempt()]).then(() => undefined);
    },
    onRest: () =>
      void tell({ type: "unreachable", reason: blocked ?? UNREACHABLE, ...(blocked !== undefined && { code: "auth_required" }) }),
  });
  const failed = (reason: string, toDo?: string) => {
    state = "disconnected";
    lastError = ports.redact(reason);
    blocked = toDo === undefined ? undefined : ports.redact(toDo);
  };
  const lost = (reason: string, toDo?: string) => {
    const wasConnected = state === "connected";
    if (link) release(link);
    failed(reason, toDo);
    if (wasConnected) void tell({ type: "disconnected", reason: blocked ?? "the connection ended" });
    if (blocked !== undefined) pace.giveUp();
    else if (wasConnected && clock.now() - connectedAt > LASTING_MS) pace.lost();
    else pace.failed();
  };
  /** Nobody new gets it; whoever has it keeps it until the call ends. */
  const release = (old: Link) => {
    link = undefined;
    void old.release().then(() => links.delete(old));
  };
  const use = async <T extends CallReply>(
    send: (downstream: Downstream) => Promise<T>,
    signal: StopSignal | undefined,
  ): Promise<T | CallOutcome> => {
    const used = link;
    if (!used) return blocked === undefined ? NOT_CONNECTED : { kind: "not_sent", reason: blocked, authorization: true };
    const outcome = await used.use(send);
    // Health is what calls meet: who cannot be reached by this one is not there for the next.
    const gone = notTaken(outcome);
    if (gone && signal?.aborted !== true && link === used && !isRetired) lost(UNREACHABLE, gone.toDo);
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
    get blocked() {
      return blocked;
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
    subscribe: async (uri) => (await link?.downstream.subscribe(uri)) ?? NOT_CONNECTED,
    unsubscribe: async (uri) => (await link?.downstream.unsubscribe(uri)) ?? NOT_CONNECTED,
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
