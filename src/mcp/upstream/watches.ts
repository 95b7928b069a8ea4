/** The resources that one modern subscription hears of: asked for before the client is told which they are. */
import type { Session, Surface } from "./backend.ts";
import { isObject, type JsonObject } from "./json.ts";

export interface Watches {
  /** Those of the wanted ones that can be heard of. */
  readonly uris: readonly string[];
  /** Tells of every change from now on, and first of those that came meanwhile. */
  attach(listener: (uri: string) => void): void;
  readonly attached: boolean;
  stop(): void;
}

export async function openWatches(surface: Surface, session: Session, wanted: readonly string[]): Promise<Watches> {
  const missed = new Set<string>();
  let tell = (uri: string): void => void missed.add(uri);
  let attached = false;
  const all = await Promise.all(
    [...new Set(wanted)].map(async (uri) => ({ uri, watching: await surface.watch(session, uri, () => tell(uri)) })),
  );
  const open = all.flatMap(({ uri, watching }) => (watching.ok ? [{ uri, stop: watching.stop }] : []));
  return {
    uris: open.map(({ uri }) => uri),
    attach(listener) {
      attached = true;
      tell = listener;
      for (const uri of missed) listener(uri);
      missed.clear();
    },
    get attached() {
      return attached;
    },
    stop() {
      for (const { stop } of open) stop();
    },
  };
}

/** `params` of a `subscriptions/listen`, or of its acknowledgement. */
export function resourcesIn(params: unknown): readonly string[] {
  const filter = isObject(params) ? params["notifications"] : undefined;
  const uris = isObject(filter) ? filter["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

/** The same message with these resources only. */
export function withResources<T extends JsonObject>(message: T, uris: readonly string[]): T {
  const params = isObject(message["params"]) ? message["params"] : {};
  const { resourceSubscriptions: _, ...rest } = isObject(params["notifications"]) ? params["notifications"] : {};
  const notifications = uris.length > 0 ? { ...rest, resourceSubscriptions: [...uris] } : rest;
  return { ...message, params: { ...params, notifications } };
}
