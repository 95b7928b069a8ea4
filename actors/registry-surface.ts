/** What becomes of a server's new surface: names, pins, and which of its definitions are held back. */
import type { RegistryEvent } from "../events/registry.ts";
import {
  ResourcesOffered,
  ServerDescribed,
  ToolChanged,
  ToolFlagged,
  ToolsOffered,
  ToolsWithdrawn,
  ToolWithheld,
} from "../events/tools.ts";
import { type Catalogue, type Offer, offerKey, type ServerEntry } from "./catalogue.ts";
import { promptToolName, typedName } from "./naming.ts";
import type { Declared, SurfaceCommand } from "./registry-commands.ts";

type NewOffer = Omit<Offer, "server">;

/** The events of a surface; none when nothing is new. */
export function surfaceEvents(state: Catalogue, entry: ServerEntry, { tools, prompts, resources, about }: SurfaceCommand): RegistryEvent[] {
  const declared = [...(tools ?? stillOffered(entry, undefined)), ...(prompts ?? stillOffered(entry, "prompt"))];
  const { offers, skipped } = named(state, entry, declared);
  const changed = [...offers.values()].filter((offer) => !isSame(entry.offers.get(offerKey(offer)), offer));
  const gone = [...entry.offers].filter(([key, { name }]) => offers.get(key)?.name !== name).map(([, { name }]) => name);
  const found = new Map(declared.map((one) => [offerKey(one), one]));
  return [
    ...(gone.length > 0 ? [ToolsWithdrawn({ server: entry.name, names: gone })] : []),
    ...changed.flatMap((offer) => reports(entry, offer, found.get(offerKey(offer)))),
    ...(changed.length > 0 ? [ToolsOffered({ server: entry.name, tools: changed, ...(skipped.length > 0 && { skipped }) })] : []),
    ...(resources && resources.hash !== entry.resources?.hash ? [ResourcesOffered({ server: entry.name, ...resources })] : []),
    ...(about !== undefined && about !== entry.about ? [ServerDescribed({ server: entry.name, hash: about })] : []),
  ];
}

/** A list that is not known now is the one that was known last. */
const stillOffered = ({ offers }: ServerEntry, kind: "prompt" | undefined): (Declared & { readonly name: string })[] =>
  [...offers.values()].filter((offer) => offer.kind === kind).map(({ server: _s, withheld: _w, ...offer }) => ({ ...offer, suffix: "" }));

function named(state: Catalogue, entry: ServerEntry, declared: readonly (Declared & { readonly name?: string })[]) {
  const { naming, surface } = state;
  const rules = { naming, maxLength: surface.maxNameLength };
  const nameOf = ({ tool, kind, suffix, name }: Declared & { readonly name?: string }): string => {
    if (name !== undefined) return name;
    if (entry.origin === "builtin") return tool;
    return kind === "prompt" ? promptToolName(entry.name, tool, suffix, rules) : typedName(entry.name, tool, suffix, rules);
  };
  const own = new Map<string, string>();
  const skipped: { tool: string; reason: string }[] = [];
  const offers = new Map<string, NewOffer>();
  for (const one of declared) {
    const name = nameOf(one);
    const owner = own.get(name) ?? ownerOf(state, entry, name);
    if (owner !== undefined) skipped.push({ tool: one.tool, reason: `the name ${name} belongs to ${owner}` });
    else {
      own.set(name, entry.name);
      const { suffix: _s, fields: _f, findings: _n, ...rest } = one;
      offers.set(offerKey(one), { ...rest, name, ...(isHeld(state, entry, one) && { withheld: true }) });
    }
  }
  return { offers, skipped };
}

function ownerOf({ names }: Catalogue, entry: ServerEntry, name: string): string | undefined {
  const owner = names.get(name)?.server;
  return owner === entry.name ? undefined : owner;
}

/** The first definitions of a server are accepted at first sight. */
function change({ accepted }: ServerEntry, one: Declared | NewOffer): "changed" | "added" | undefined {
  if (one.pin === undefined || accepted.size === 0) return undefined;
  const before = accepted.get(offerKey(one));
  if (!before) return "added";
  return before.pin === one.pin ? undefined : "changed";
}

function isHeld({ surface }: Catalogue, entry: ServerEntry, one: Declared): boolean {
  const kind = change(entry, one);
  const isDrift = kind !== undefined && surface.drift[kind] === "withhold";
  const isSuspicious = one.suspicious === true && entry.accepted.get(offerKey(one))?.pin !== one.pin;
  return !entry.policy.trusted && (isDrift || isSuspicious);
}

function reports(entry: ServerEntry, offer: NewOffer, { fields = [], findings = [] }: Partial<Declared> = {}): RegistryEvent[] {
  const kind = change(entry, offer);
  const pending = entry.offers.get(offerKey(offer));
  if (pending?.pin === offer.pin && pending?.hash === offer.hash) return []; // told already
  const previous = entry.accepted.get(offerKey(offer))?.hash;
  const definition = {
    server: entry.name,
    tool: offer.tool,
    ...(offer.kind && { kind: offer.kind }),
    hash: offer.hash,
    ...(previous !== undefined && { previous }),
  };
  const { previous: _, ...flagged } = definition;
  const listed = findings.map(({ kind: of, severity, where }) => ({ kind: of, severity, where }));
  return [
    ...(kind ? [ToolChanged({ ...definition, change: kind, fields: [...fields] })] : []),
    ...(listed.length > 0 ? [ToolFlagged({ ...flagged, findings: listed }, { excerpts: findings.map(({ excerpt }) => excerpt) })] : []),
    ...(offer.withheld ? [ToolWithheld(definition)] : []),
  ];
}

const isSame = (one: Offer | undefined, other: NewOffer): boolean =>
  one !== undefined &&
  one.name === other.name &&
  one.hash === other.hash &&
  one.pin === other.pin &&
  one.withheld === other.withheld &&
  one.suspicious === other.suspicious &&
  one.capability === other.capability &&
  one.destructiveHint === other.destructiveHint &&
  one.openWorldHint === other.openWorldHint &&
  one.idempotentHint === other.idempotentHint &&
  one.readOnlyHint === other.readOnlyHint;
