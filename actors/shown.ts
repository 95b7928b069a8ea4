/** Which tools a session sees, in which order: the same catalogue, scope and history always give the same list. */
import type { Scope } from "../events/policy.ts";
import { BUILTIN } from "./address.ts";
import type { Catalogue, Offer, ServerEntry } from "./catalogue.ts";
import { serverOf, toolsOf } from "./catalogue.ts";
import { authorise, modeOf } from "./policy/allow.ts";
import { scopeKey } from "./policy/scope.ts";

/** What a session has found and called, as far as its list depends on it. Replaced as a whole when any of it changes. */
export interface Shown {
  /** By first activation, oldest first. */
  readonly activated: readonly { readonly name: string; readonly hash: string }[];
  /** Servers by last call, newest last. */
  readonly recent: readonly string[];
}
export const NOTHING_SHOWN: Shown = { activated: [], recent: [] };

/** More servers than a session can pin. */
const MAX_RECENT = 32;

/** What is the same for every session of a scope. */
interface Base {
  readonly builtin: readonly Offer[];
  /** Every authorised typed tool and prompt, with its place in the catalogue's order. */
  readonly typed: ReadonlyMap<Offer, number>;
  /** What is listed of `typed`, where sessions do not choose. */
  readonly all: readonly Offer[] | undefined;
  readonly lists: WeakMap<Shown, readonly Offer[]>;
}
/** Requests may narrow in any way they like. */
const MAX_SCOPES = 64;
const bases = new WeakMap<Catalogue, Map<string, Base>>();

const byName = (one: ServerEntry, other: ServerEntry) => (one.name < other.name ? -1 : 1);

function baseOf(catalogue: Catalogue, scope: Scope): Base {
  const known = bases.get(catalogue) ?? new Map<string, Base>();
  bases.set(catalogue, known);
  const key = scopeKey(catalogue.policy, scope);
  const before = known.get(key);
  if (before) return before;
  const servers = [...catalogue.servers.values()].sort(byName);
  const offersOf = (isBuiltin: boolean) =>
    servers
      .filter(({ name }) => (name === BUILTIN) === isBuiltin)
      .flatMap(({ offers }) => [...offers.values()].filter(({ name }) => authorise(catalogue, name, scope).allowed));
  const builtin = offersOf(true);
  const typed = offersOf(false);
  const { listAllUpTo } = catalogue.surface;
  const mode = modeOf(catalogue, scope.profile);
  const isAll = mode === "off" || mode === "eager" || typed.length <= listAllUpTo;
  const base: Base = {
    builtin,
    typed: new Map(typed.map((offer, place) => [offer, place])),
    all: isAll ? typed.slice(0, roomFor(catalogue, builtin)) : undefined,
    lists: new WeakMap(),
  };
  if (known.size >= MAX_SCOPES) known.clear();
  known.set(key, base);
  return base;
}

const roomFor = ({ surface }: Catalogue, builtin: readonly Offer[]): number => Math.max(0, surface.maxToolsPerRequest - builtin.length);

/** The session's tools, built-in ones first. */
export function shownOffers(catalogue: Catalogue, scope: Scope, shown: Shown): readonly Offer[] {
  const base = baseOf(catalogue, scope);
  const before = base.lists.get(shown);
  if (before) return before;
  const { activated, pinned } = base.all ? { activated: base.all, pinned: [] } : chosen(catalogue, scope, shown, base);
  const placeOf = (offer: Offer) => base.typed.get(offer) ?? 0;
  // What is pinned keeps the catalogue's order, whichever server was called last: a stable list keeps a client's prompt cache.
  const list = [...base.builtin, ...activated, ...pinned.sort((one, other) => placeOf(one) - placeOf(other))];
  base.lists.set(shown, list);
  return list;
}

/** What it activated, and the tools of the servers it called last, as far as there is room. */
function chosen(catalogue: Catalogue, scope: Scope, shown: Shown, { builtin, typed }: Base) {
  const { maxActivatedTools, maxPinnedServers } = catalogue.surface;
  const budget = Math.min(maxActivatedTools, roomFor(catalogue, builtin));
  const held = valid(catalogue, scope, shown).map(({ offer }) => offer);
  const activated = held.slice(Math.max(0, held.length - budget));
  const servers =
    modeOf(catalogue, scope.profile) === "pinned" && maxPinnedServers > 0 ? shown.recent.slice(-maxPinnedServers).reverse() : [];
  const pinned: Offer[] = [];
  for (const name of servers)
    for (const offer of toolsOf(serverOf(catalogue, name)))
      if (activated.length + pinned.length < budget && typed.has(offer) && !activated.includes(offer)) pinned.push(offer);
  return { activated, pinned };
}

/** What was activated and still is what it was then. */
function valid(catalogue: Catalogue, scope: Scope, { activated }: Shown) {
  return activated.flatMap((tool) => {
    const verdict = authorise(catalogue, tool.name, scope);
    return verdict.allowed && verdict.offer.hash === tool.hash ? [{ ...tool, offer: verdict.offer }] : [];
  });
}

export interface Activation {
  readonly tools: readonly { readonly name: string; readonly hash: string }[];
  readonly drops: readonly string[];
}

/** What becomes of the list when these tools join it: stale ones go, then the oldest. Undefined when nothing changes. */
export function activation(catalogue: Catalogue, scope: Scope, shown: Shown, offers: readonly Offer[]): Activation | undefined {
  if (baseOf(catalogue, scope).all) return undefined;
  const held = valid(catalogue, scope, shown);
  const heldNames = new Set(held.map(({ name }) => name));
  const fresh = [...new Map(offers.map((offer) => [offer.name, offer])).values()]
    .filter(({ name, server }) => server !== BUILTIN && !heldNames.has(name))
    .slice(0, catalogue.surface.maxActivatedTools);
  if (fresh.length === 0) return undefined;
  const kept = new Set(held.slice(Math.max(0, held.length + fresh.length - catalogue.surface.maxActivatedTools)).map(({ name }) => name));
  const drops = shown.activated.flatMap(({ name }) => (kept.has(name) ? [] : [name]));
  return { tools: fresh.map(({ name, hash }) => ({ name, hash })), drops };
}

/** The same for a call by name: none if the tool is in the list already. */
export function activationByCall(catalogue: Catalogue, scope: Scope, shown: Shown, offer: Offer): Activation | undefined {
  const base = baseOf(catalogue, scope);
  if (offer.server === BUILTIN || base.all) return undefined;
  if (shown.activated.some(({ name, hash }) => name === offer.name && hash === offer.hash)) return undefined;
  return chosen(catalogue, scope, shown, base).pinned.includes(offer) ? undefined : activation(catalogue, scope, shown, [offer]);
}

/** The tools have joined. */
export function withActivated(shown: Shown, tools: Activation["tools"], drops: readonly string[] = []): Shown {
  const gone = new Set([...drops, ...tools.map(({ name }) => name)]);
  return { ...shown, activated: [...shown.activated.filter(({ name }) => !gone.has(name)), ...tools] };
}

/** A call went to this server: the very same object if it did last time. */
export function withRecent(shown: Shown, server: string): Shown {
  if (server === BUILTIN || shown.recent.at(-1) === server) return shown;
  return { ...shown, recent: [...shown.recent.filter((name) => name !== server), server].slice(-MAX_RECENT) };
}
