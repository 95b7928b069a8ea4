/** Hears what a server says has changed, in either era: its lists, and the resources that somebody subscribed to. */
import { type Client, METHOD_NOT_FOUND, ProtocolError, type SubscriptionFilter } from "@modelcontextprotocol/client";
import { describeFailure, lost } from "./call-outcome.ts";
import type { CallOutcome } from "./downstream.ts";
import type { Schedule } from "./options.ts";
import type { RawCalls } from "./raw-calls.ts";

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
const DONE: CallOutcome = { kind: "result", result: {} };

/** Whom to tell. */
export interface ChangeListener {
  onTools(): void;
  onPrompts(): void;
  onResources(): void;
  /** Also told when a change may have been missed. */
  onResource(uri: string): void;
}
export interface Changes {
  /** Both end with an empty result, or with what the server (or the way to it) says against it. Never reject. */
  subscribe(uri: string): Promise<CallOutcome>;
  unsubscribe(uri: string): Promise<CallOutcome>;
  stop(): void;
}

/** Legacy servers tell of lists by themselves, and of a resource on request; with modern ones, subscriptions are kept open. */
export function watchChanges(client: Client, calls: Pick<RawCalls, "request">, schedule: Schedule, listener: ChangeListener): Changes {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const offersUpdates = resources?.subscribe === true;
  client.setNotificationHandler("notifications/tools/list_changed", listener.onTools);
  client.setNotificationHandler("notifications/prompts/list_changed", listener.onPrompts);
  client.setNotificationHandler("notifications/resources/list_changed", listener.onResources);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => listener.onResource(params.uri));

  if (client.getProtocolEra() !== "modern") {
    const ask = (method: string, uri: string) =>
      offersUpdates ? calls.request({ method, params: { uri } }) : Promise.resolve(notOffered());
    return {
      subscribe: (uri) => ask("resources/subscribe", uri),
      unsubscribe: (uri) => ask("resources/unsubscribe", uri),
      stop: () => undefined,
    };
  }

  const lists: SubscriptionFilter = {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
  };
  const listsStream =
    Object.keys(lists).length > 0
      ? keepListening(client, schedule, lists, () => {
          if (lists.toolsListChanged) listener.onTools();
          if (lists.promptsListChanged) listener.onPrompts();
          if (lists.resourcesListChanged) listener.onResources();
        })
      : undefined;

  const wanted = new Set<string>();
  let updates: Listening | undefined;
  let changing: Promise<unknown> = Promise.resolve();
  /** A subscription cannot be altered: the new one is open before the old one ends. */
  async function add(uri: string): Promise<CallOutcome> {
    if (wanted.has(uri)) return DONE;
    const uris = [...wanted, uri];
    const next = keepListening(client, schedule, { resourceSubscriptions: uris }, () => uris.forEach(listener.onResource));
    const opened = await next.opened;
    if (!opened.ok || !opened.honored.resourceSubscriptions?.includes(uri)) {
      next.stop();
      return opened.ok ? notOffered() : opened.outcome;
    }
    wanted.add(uri);
    updates?.stop();
    updates = next;
    return DONE;
  }
  const inTurn = (work: () => Promise<CallOutcome>): Promise<CallOutcome> => {
    const done = changing.then(work);
    changing = done;
    return done;
  };

  return {
    subscribe: (uri) => (offersUpdates ? inTurn(() => add(uri)) : Promise.resolve(notOffered())),
    unsubscribe: (uri) =>
      inTurn(async () => {
        wanted.delete(uri);
        if (wanted.size > 0) return DONE; // what is still told of it goes to nobody, and ends with the next subscription
        updates?.stop();
        updates = undefined;
        return DONE;
      }),
    stop() {
      listsStream?.stop();
      updates?.stop();
    },
  };
}

const notOffered = (): CallOutcome => ({
  kind: "rpc_error",
  code: METHOD_NOT_FOUND,
  message: "The server does not tell of changes of this resource.",
});

type Opened = { readonly ok: true; readonly honored: SubscriptionFilter } | { readonly ok: false; readonly outcome: CallOutcome };
interface Listening {
  /** What became of the first attempt. Never rejects. */
  readonly opened: Promise<Opened>;
  stop(): void;
}

/** Keeps one modern subscription open, and opens it again when it breaks; `onAgain` says that a change may have been missed. */
function keepListening(client: Client, schedule: Schedule, filter: SubscriptionFilter, onAgain: () => void): Listening {
  const stopping = new AbortController();
  const first = Promise.withResolvers<Opened>();
  let callOff = (): void => undefined;
  let retryMs = FIRST_RETRY_MS;
  async function listen(again: boolean): Promise<void> {
    if (stopping.signal.aborted) return;
    try {
      const subscription = await client.listen(filter, { signal: stopping.signal });
      first.resolve({ ok: true, honored: subscription.honoredFilter });
      retryMs = FIRST_RETRY_MS;
      if (again) onAgain();
      await subscription.closed;
    } catch (error) {
      first.resolve({ ok: false, outcome: outcomeOf(error) });
      // Refused or unreachable: tried again below.
    }
    if (stopping.signal.aborted) return;
    callOff = schedule(() => void listen(true), retryMs);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
  void listen(false);
  return {
    opened: first.promise,
    stop() {
      stopping.abort(new Error("not wanted any more"));
      callOff();
    },
  };
}

const outcomeOf = (error: unknown): CallOutcome =>
  error instanceof ProtocolError ? { kind: "rpc_error", code: error.code, message: error.message } : lost(describeFailure(error));
