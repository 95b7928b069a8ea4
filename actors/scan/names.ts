/** Names of other servers' tools: who speaks of them, and who looks like them. */
import { isDisguised, skeleton } from "../confusable.ts";
import { excerptOf, type Finding } from "./finding.ts";

/** The names of all servers' tools. Made once for a catalogue. */
export interface ToolNames {
  /** Whose a name is: typed names, and tools' own names that are no everyday words. In lower case. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tools' own names, by their skeleton. */
  readonly skeletons: ReadonlyMap<string, readonly { readonly tool: string; readonly server: string }[]>;
}
/** Whose definitions are judged, and beside which names. */
export interface ScanContext {
  /** Server names are equal without regard to case. */
  readonly server: string;
  /** The tools that it declares now. */
  readonly own: ReadonlySet<string>;
  readonly names: ToolNames;
}

const MIN_MENTION = 8;
/** A tool's own name says whose tool is meant only if nobody would write it by chance. */
const isDistinctive = (name: string): boolean => name.length >= MIN_MENTION && /[a-z0-9][_.-][a-z0-9]|[a-z][A-Z]/.test(name);
const NAME = /[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?/g;
/** Spellings of one name are no disguise. */
const spelling = (name: string): string => name.toLowerCase().replace(/[_. -]/g, "-");

export function toolNames(
  servers: Iterable<{ readonly name: string; readonly offers: ReadonlyMap<string, { readonly name: string; readonly tool: string }> }>,
): ToolNames {
  const owners = new Map<string, Set<string>>();
  const skeletons = new Map<string, { tool: string; server: string }[]>();
  const own = (name: string, server: string) => {
    const known = owners.get(name.toLowerCase());
    if (known) known.add(server);
    else owners.set(name.toLowerCase(), new Set([server]));
  };
  for (const { name, offers } of servers) {
    const server = name.toLowerCase();
    for (const { name: typed, tool } of offers.values()) {
      own(typed, server);
      if (isDistinctive(tool)) own(tool, server);
      const bones = skeleton(tool);
      const alike = skeletons.get(bones);
      if (alike) alike.push({ tool, server });
      else skeletons.set(bones, [{ tool, server }]);
    }
  }
  return { owners, skeletons };
}

export const scanContext = (server: string, tools: Iterable<string>, names: ToolNames): ScanContext => ({
  server: server.toLowerCase(),
  own: new Set([...tools].map((tool) => tool.toLowerCase())),
  names,
});

/** Names of other servers' tools in a text, each once. `known` are names that mean something of its own there. */
export function scanMentions(text: string, where: string, context: ScanContext, known: ReadonlySet<string>): readonly Finding[] {
  const { server, own, names } = context;
  if (names.owners.size === 0 || text.length < MIN_MENTION) return [];
  const seen = new Set<string>();
  const findings: Finding[] = [];
  for (const { 0: word, index } of text.matchAll(NAME)) {
    const name = word.toLowerCase();
    const owners = names.owners.get(name);
    if (owners === undefined || owners.has(server) || seen.has(name) || own.has(name) || known.has(name)) continue;
    seen.add(name);
    findings.push({ kind: "shadowing", severity: "medium", where, excerpt: excerptOf(text, index) });
  }
  return findings;
}

/** A name whose letters are not what they seem, or that a reader takes for another server's tool. */
export function scanName(name: string, where: string, { server, own, names }: ScanContext): readonly Finding[] {
  const isTwin = (other: { tool: string; server: string }) =>
    other.server !== server && !own.has(other.tool.toLowerCase()) && spelling(other.tool) !== spelling(name);
  const twin = names.skeletons.get(skeleton(name))?.some(isTwin) === true;
  return twin || isDisguised(name) ? [{ kind: "confusable", severity: "medium", where, excerpt: excerptOf(name, 0) }] : [];
}
