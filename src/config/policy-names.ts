/** Judges the names in the lists of a policy: what can never match is an error, what cannot match yet is a warning. */
import { ALIASES, BUILTIN_NAMES, BUILTIN_OPERATIONS, canonicalName, GROUPS } from "../../actors/policy/names.ts";
import type { ServerEntry } from "./server-schema.ts";
import { didYouMean } from "./suggest.ts";

export interface NamesThere {
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** By name, as far as they are configured. */
  readonly servers: Readonly<Record<string, Pick<ServerEntry, "tools"> | undefined>>;
  /** Tools of servers have their own names. */
  readonly bare: boolean;
}
export interface Finding {
  readonly kind: "error" | "warning";
  readonly message: string;
  readonly hint?: string;
}

const found = (kind: Finding["kind"], message: string, hint?: string): Finding => ({ kind, message, ...(hint !== undefined && { hint }) });
const serverNamed = ({ servers }: NamesThere, name: string) =>
  Object.keys(servers).find((known) => known.toLowerCase() === name.toLowerCase());
const noServer = (there: NamesThere, name: string): Finding =>
  found("warning", "names no server that is configured: it counts as soon as there is one", didYouMean(name, Object.keys(there.servers)));

/** What is wrong with one entry of a list; undefined when nothing is. */
export function judgeName(written: string, there: NamesThere): Finding | undefined {
  if (written.startsWith("group:")) return judgeGroup(written.slice("group:".length), there);
  const [server, rest] = splitOnce(written, "__");
  if (rest !== undefined) {
    const known = serverNamed(there, server);
    if (known === undefined) return noServer(there, server);
    return operationFinding(rest, there.servers[known]?.tools ?? {});
  }
  const [tool, operation] = splitOnce(written, ":");
  if (BUILTIN_NAMES.has(canonicalName(tool))) {
    if (operation === undefined || BUILTIN_OPERATIONS.has(canonicalName(tool))) return undefined;
    return found("error", `the built-in tool ${tool} has no operations`);
  }
  if (there.bare) return undefined;
  const known = [...BUILTIN_NAMES, ...Object.keys(ALIASES), ...groupNames(there)];
  return found("error", "names no built-in tool, alias or group", didYouMean(tool, known) ?? "tools of servers are written SERVER__TOOL");
}

function judgeGroup(name: string, there: NamesThere): Finding | undefined {
  if (name === "mcp" || Object.hasOwn(GROUPS, name) || Object.hasOwn(there.groups, name)) return undefined;
  if (!name.startsWith("mcp:")) return found("error", "there is no such group", didYouMean(`group:${name}`, groupNames(there)));
  const server = name.slice("mcp:".length);
  return serverNamed(there, server) === undefined ? noServer(there, server) : undefined;
}

/** `TOOL:OPERATION`, or a tool with a colon in its name. */
function operationFinding(written: string, tools: ServerEntry["tools"]): Finding | undefined {
  const [tool, operation] = splitOnce(written, ":");
  if (operation === undefined || (Object.hasOwn(tools, tool) ? tools[tool] : tools["*"])?.operations) return undefined;
  return found("warning", `has an effect only if a tool has this whole name: \`tools.${tool}.operations\` is not set`);
}

const groupNames = ({ groups }: NamesThere): string[] =>
  [...Object.keys(GROUPS), "mcp", ...Object.keys(groups)].map((name) => `group:${name}`);

function splitOnce(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by);
  return at <= 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + by.length)];
}

/** A group that holds itself, and by which way: `a, b, a`. Undefined when there is none. */
export function cycleIn(groups: Readonly<Record<string, readonly string[]>>, start: string): readonly string[] | undefined {
  const walk = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return name === start ? [...path, name] : undefined;
    for (const entry of Object.hasOwn(groups, name) ? (groups[name] ?? []) : []) {
      const cycle = entry.startsWith("group:") ? walk(entry.slice("group:".length), [...path, name]) : undefined;
      if (cycle) return cycle;
    }
    return undefined;
  };
  return walk(start, []);
}
