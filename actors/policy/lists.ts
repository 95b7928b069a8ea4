/** Lists of names made ready to look into: groups opened, other words replaced, case gone. */
import { BUILTIN } from "../address.ts";
import { canonicalName, GROUPS } from "./names.ts";

/** What a list is asked about: a tool, or one operation of it, by every name that it has. */
export interface Subject {
  /** In lower case. */
  readonly names: readonly string[];
  readonly server: string;
}
export interface NameList {
  /** The entry that names it, as written. */
  entryFor(subject: Subject): string | undefined;
  /** In lower case, without groups of servers. */
  readonly names: readonly string[];
}
type Groups = Readonly<Record<string, readonly string[]>>;

/** Every name of a tool: as published, whole, and of one of its operations too. */
export function subjectOf(
  { name, server, tool, kind }: { readonly name: string; readonly server: string; readonly tool: string; readonly kind?: "prompt" },
  operation?: string,
): Subject {
  const whole = server === BUILTIN ? name : `${server}__${tool}${kind === "prompt" ? "-prompt" : ""}`;
  const tools = [...new Set([name.toLowerCase(), whole.toLowerCase()])];
  const suffix = operation?.trim().toLowerCase();
  return { server, names: suffix === undefined ? tools : [...tools, ...tools.map((one) => `${one}:${suffix}`)] };
}

/** Undefined for an empty list. */
export function nameList(entries: readonly string[], groups: Groups): NameList | undefined {
  if (entries.length === 0) return undefined;
  const names = new Map<string, string>();
  const servers = new Map<string, string>();
  let all: string | undefined;
  const open = (entry: string, written: string, path: readonly string[]): void => {
    if (!entry.startsWith("group:")) {
      const [tool, operation] = builtinOperation(entry);
      const name = operation === undefined ? canonicalName(entry) : `${canonicalName(tool)}:${operation.toLowerCase()}`;
      for (const one of [name, entry.toLowerCase()]) if (!names.has(one)) names.set(one, written); // a bare name may be an alias
      return;
    }
    const group = entry.slice("group:".length);
    if (group === "mcp") all ??= written;
    else if (Object.hasOwn(groups, group) && !path.includes(group))
      for (const inner of groups[group] ?? []) open(inner, written, [...path, group]);
    else if (Object.hasOwn(GROUPS, group)) for (const inner of GROUPS[group] ?? []) open(inner, written, path);
    else if (group.startsWith("mcp:")) servers.set(group.slice("mcp:".length).toLowerCase(), written);
  };
  for (const entry of entries) open(entry, entry, []);
  return {
    names: [...names.keys()],
    entryFor({ names: asked, server }) {
      for (const name of asked) {
        const entry = names.get(name);
        if (entry !== undefined) return entry;
      }
      return server === BUILTIN ? undefined : (servers.get(server.toLowerCase()) ?? all);
    },
  };
}

/** An alias may have an operation behind it; in the name of a server's tool a colon may mean anything. */
function builtinOperation(entry: string): [string, string | undefined] {
  const at = entry.includes("__") ? -1 : entry.indexOf(":");
  return at <= 0 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)];
}
