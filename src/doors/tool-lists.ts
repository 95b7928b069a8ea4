/** Each session's list of tools, and word of it when it changes. */
import { nameOf, sessionAddress } from "../../actors/address.ts";
import type { Offer } from "../../actors/catalogue.ts";
import { modeOf } from "../../actors/policy/allow.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import { shownOffers } from "../../actors/shown.ts";
import type { Narrowing, Scope } from "../../events/policy.ts";
import type { ToolDefinition } from "../mcp/downstream/definitions.ts";
import { type Published, publishedIn } from "../mcp/published.ts";
import type { ChangedSessions } from "../mcp/upstream/backend.ts";
import type { Batch } from "../runtime/event-log.ts";
import type { Runtime } from "../runtime/turn.ts";

/** What the kernel has. */
export interface ToolListPorts {
  readonly runtime: Pick<Runtime, "catalogue" | "stateOf">;
  readonly published: Published;
  readonly onPublished: (listener: () => void) => () => void;
  readonly onCommitted: (listener: (batch: Batch) => void) => () => void;
}
export interface ToolLists {
  /** The same list is the same object. */
  of(session: string, narrow?: Narrowing): readonly ToolDefinition[];
  /** Of any published name, listed or not. */
  definition(name: string): ToolDefinition | undefined;
  /** True where what the session does changes its list. */
  isPersonal(session: string): boolean;
  onChanged(listener: (sessions: ChangedSessions) => void): () => void;
}

const MAX_TOLD = 10_000;
const MOVES_LIST = new Set(["call.requested", "tools.activated", "tools.deactivated", "session.profiled"]);

export function createToolLists({ runtime, published, onPublished, onCommitted }: ToolListPorts): ToolLists {
  const definitions = new WeakMap<readonly Offer[], readonly ToolDefinition[]>();
  /** What each session was told last. */
  const told = new Map<string, { readonly offers: readonly Offer[]; readonly list: readonly ToolDefinition[] }>();
  const listeners = new Set<(sessions: ChangedSessions) => void>();

  const stateOfSession = (session: string) => runtime.stateOf(sessionAddress(session)) as SessionState;
  const scopeOf = (session: string, narrow?: Narrowing): Scope => {
    const { profile, client } = stateOfSession(session);
    return { profile, client, ...(narrow && { narrow }) };
  };
  const offersOf = (session: string, narrow?: Narrowing): readonly Offer[] =>
    shownOffers(runtime.catalogue(), scopeOf(session, narrow), stateOfSession(session).shown);
  const definitionsOf = (offers: readonly Offer[], scope: Scope): readonly ToolDefinition[] => {
    const before = definitions.get(offers);
    if (before) return before;
    const list = offers.flatMap((offer) => publishedIn(runtime.catalogue(), offer, scope, published) ?? []);
    definitions.set(offers, list);
    return list;
  };
  /** True when the session knows another list than it has now; from now on that counts as told. */
  const hasMoved = (session: string): boolean => {
    const before = told.get(session);
    if (!before) return false;
    const offers = offersOf(session);
    if (offers === before.offers) return false;
    const list = definitionsOf(offers, scopeOf(session)); // what may be used of a tool may change, and the tool stay
    told.set(session, { offers, list });
    return list.length !== before.list.length || list.some((definition, index) => definition !== before.list[index]);
  };
  const remember = (session: string, offers: readonly Offer[], list: readonly ToolDefinition[]) => {
    if (told.size >= MAX_TOLD && !told.has(session)) told.delete(told.keys().next().value ?? "");
    told.set(session, { offers, list });
  };
  const send = (sessions: ChangedSessions) => {
    for (const listener of listeners) listener(sessions);
  };
  onPublished(() => {
    const moved = new Set([...told.keys()].filter(hasMoved));
    send({ has: (session) => moved.has(session) || !told.has(session) }); // nobody knows what one that never asked here has heard before
  });
  onCommitted(({ events }) => {
    for (const { type, stream } of events) {
      if (!MOVES_LIST.has(type) || told.size === 0) continue;
      const session = nameOf(stream);
      if (hasMoved(session)) send(new Set([session]));
    }
  });

  return {
    of(session, narrow) {
      const offers = offersOf(session, narrow);
      const list = definitionsOf(offers, scopeOf(session, narrow));
      if (!narrow) remember(session, offers, list);
      return list;
    },
    definition(name) {
      const offer = runtime.catalogue().names.get(name);
      return offer && published(offer);
    },
    isPersonal(session) {
      const mode = modeOf(runtime.catalogue(), stateOfSession(session).profile);
      return mode === "lazy" || mode === "pinned";
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
