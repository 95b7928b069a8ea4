/** Finds the servers in a client's file, wherever that client keeps them, and what else in it is about them. */
import type { Root } from "./dialects.ts";
import { isPlainList, isPlainObject, type Plain, type PlainObject } from "./read.ts";

export interface Found {
  readonly root: Root;
  readonly name: string;
  /** As written; not always an object. */
  readonly entry: Plain;
}
export interface Input {
  readonly id: string;
  readonly type: string;
  readonly password: boolean;
  readonly description: string;
  readonly otherwise?: string;
}
export interface FoundIn {
  readonly servers: readonly Found[];
  /** The places where there could be some, each once. */
  readonly roots: readonly Root[];
  /** Values that VS Code asks its user for, by id. */
  readonly inputs: ReadonlyMap<string, Input>;
  /** Names of servers that the file switches off outside of their entries. */
  readonly excluded: (name: string) => boolean;
  /** Settings of all servers at once, which are not carried over. */
  readonly warnings: readonly string[];
}

interface Place {
  readonly root: Root;
  readonly servers: Plain;
}

const DIRECT: readonly Root[] = ["mcpServers", "servers", "context_servers", "mcp_servers", "amp.mcpServers", "mcp.servers"];

/** Undefined when there is no place for servers in it at all. */
export function serversIn(document: Plain): FoundIn | undefined {
  if (!isPlainObject(document)) return undefined;
  const places = [...rootsOf(document), ...projectsOf(document)];
  if (places.length === 0) return undefined;
  const settings = objectAt(document, "mcp");
  const [allowed, excluded] = [namesIn(settings?.["allowed"]), namesIn(settings?.["excluded"])];
  return {
    servers: places.flatMap(({ root, servers }) => entriesOf(servers).map(([name, entry]) => ({ root, name, entry }))),
    roots: [...new Set(places.map(({ root }) => root))],
    inputs: inputsOf(document["inputs"] ?? settings?.["inputs"] ?? null),
    excluded: (name) => excluded?.includes(name) === true || (allowed !== undefined && !allowed.includes(name)),
    warnings: warningsOf(document, settings),
  };
}

function rootsOf(document: PlainObject): Place[] {
  const named = DIRECT.flatMap((root): Place[] => {
    const key = Object.keys(document).find((written) => written === root || written.toLowerCase() === root.toLowerCase());
    const servers = key === undefined ? undefined : document[key];
    if (root === "mcpServers" && isPlainList(servers)) return [{ root: "mcpServers[]", servers }];
    return isPlainObject(servers) ? [{ root, servers }] : [];
  });
  const mcp = objectAt(document, "mcp");
  const nested = mcp && objectAt(mcp, "servers");
  if (nested) return [...named, { root: "mcp.servers", servers: nested }];
  const isOpencode = mcp !== undefined && Object.values(mcp).length > 0 && Object.values(mcp).every(isPlainObject);
  return isOpencode ? [...named, { root: "mcp", servers: mcp }] : named;
}

/** Claude Code keeps servers for single projects in one file of the user. */
function projectsOf(document: PlainObject): Place[] {
  return Object.values(objectAt(document, "projects") ?? {}).flatMap((project): Place[] => {
    const servers = isPlainObject(project) ? objectAt(project, "mcpServers") : undefined;
    return servers ? [{ root: "mcpServers", servers }] : [];
  });
}

function entriesOf(servers: Plain): (readonly [string, Plain])[] {
  if (!isPlainList(servers)) return isPlainObject(servers) ? Object.entries(servers) : [];
  return servers.map((entry) => [isPlainObject(entry) && typeof entry["name"] === "string" ? entry["name"] : "", entry] as const);
}

function inputsOf(inputs: Plain): ReadonlyMap<string, Input> {
  const found = new Map<string, Input>();
  for (const input of isPlainList(inputs) ? inputs : []) {
    if (!isPlainObject(input) || typeof input["id"] !== "string") continue;
    const { id, type, password, description, default: otherwise } = input;
    found.set(id, {
      id,
      type: String(type ?? ""),
      password: password === true,
      description: String(description ?? ""),
      ...(typeof otherwise === "string" && { otherwise }),
    });
  }
  return found;
}

function warningsOf(document: PlainObject, settings: PlainObject | undefined): string[] {
  const told: readonly (readonly [boolean, string])[] = [
    ["sandbox" in document, "sandbox is not carried over: what it kept servers from, nothing here keeps them from"],
    ["context_server_timeout" in document, "context_server_timeout is not carried over: set toolTimeoutMs at the servers that need it"],
    [typeof settings?.["serverCommand"] === "string", "mcp.serverCommand is not carried over, and was not run"],
  ];
  return told.filter(([is]) => is).map(([, warning]) => warning);
}

function objectAt(object: PlainObject, key: string): PlainObject | undefined {
  const value = object[key];
  return isPlainObject(value) ? value : undefined;
}

const namesIn = (list: Plain | undefined): string[] | undefined =>
  isPlainList(list) && list.length > 0 ? list.filter((name) => typeof name === "string") : undefined;
