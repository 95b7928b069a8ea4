/** One list of servers out of all files: of two entries for one server one is left out, and `bridge.defaultServers` adds those that nobody has. */
import { dirname } from "node:path";
import { problemAt, type ServersIn } from "./checks.ts";
import { identityOf, normalisedUrl } from "./identity.ts";
import type { Document } from "./jsonc.ts";
import { formatPlace, type Problem, showPath } from "./problems.ts";
import type { PlacedEntry } from "./schema.ts";
import { Server, type ServerEntry } from "./server-schema.ts";

export interface Merged {
  readonly servers: Readonly<Record<string, PlacedEntry>>;
  readonly warnings: readonly Problem[];
  /** Names of the servers that came from `bridge.defaultServers`. */
  readonly seeded: readonly string[];
}
interface Candidate {
  readonly name: string;
  readonly entry: PlacedEntry;
  readonly document: Document;
}
type DefaultServers = Readonly<Record<string, string>>;

/** `main` is the file that holds `defaultServers`. The names in `sources` are known to differ, case or not. */
export function mergeServers(main: Document, sources: readonly ServersIn[], defaultServers: DefaultServers): Merged {
  const written = sources.flatMap(({ document, servers }) =>
    Object.entries(servers).map(([name, entry]) => ({ name, entry: placed(document, entry), document })),
  );
  const twins = withoutTwins(written, new Set(Object.keys(defaultServers).map(lower)));
  const seeds = seedsOf(main, twins.kept, defaultServers);
  return {
    servers: Object.fromEntries([...twins.kept, ...seeds.added].map(({ name, entry }) => [name, entry])),
    warnings: [...twins.warnings, ...seeds.warnings],
    seeded: seeds.added.map(({ name }) => name),
  };
}

const lower = (name: string): string => name.toLowerCase();
const placed = ({ file }: Document, entry: ServerEntry): PlacedEntry => ({ ...entry, file, folder: dirname(file) });
const pathOf = ({ name }: Candidate) => ["mcpServers", name];

/** A name that would be added as a default server stays, else the first by the alphabet. A disabled entry is nobody's twin. */
function withoutTwins(all: readonly Candidate[], isDefault: ReadonlySet<string>): { kept: Candidate[]; warnings: Problem[] } {
  const rank = ({ name }: Candidate) => `${isDefault.has(lower(name)) ? 0 : 1}${lower(name)}`;
  const groups = Map.groupBy(
    all.filter(({ entry }) => !entry.disabled),
    ({ entry }) => identityOf(entry),
  );
  const keptFor = new Map<Candidate, Candidate>();
  for (const group of groups.values()) {
    const [first, ...others] = group.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
    for (const other of others) if (first) keptFor.set(other, first);
  }
  const warnings = all.flatMap((candidate) => {
    const kept = keptFor.get(candidate);
    if (!kept) return [];
    const place = formatPlace(kept.document.place(pathOf(kept)));
    const message = `is left out: it is the same server as ${showPath(pathOf(kept))} at ${place}`;
    return [problemAt(candidate.document, pathOf(candidate), message, "remove one of the two")];
  });
  return { kept: all.filter((candidate) => !keptFor.has(candidate)), warnings };
}

/** Whoever has the address or the name already, disabled or not, is never replaced. */
function seedsOf(main: Document, kept: readonly Candidate[], defaultServers: DefaultServers): { added: Candidate[]; warnings: Problem[] } {
  const added: Candidate[] = [];
  const warnings: Problem[] = [];
  for (const [name, url] of Object.entries(defaultServers)) {
    const all = [...kept, ...added];
    const report = (message: string) => warnings.push(problemAt(main, ["bridge", "defaultServers", name], message));
    const holder = all.find(({ entry }) => entry.kind === "http" && normalisedUrl(entry.url) === normalisedUrl(url));
    if (holder) {
      if (lower(holder.name) !== lower(name)) report(`is not added: ${showPath(pathOf(holder))} has this address`);
    } else if (all.some((one) => lower(one.name) === lower(name))) report("is not added: the server of this name has another address");
    else added.push({ name, entry: placed(main, Server.parse({ url })), document: main });
  }
  return { added, warnings };
}
