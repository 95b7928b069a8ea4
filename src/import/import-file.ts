/** One file of a client, translated: its dialect, its servers, and everything that a person should know about them. */
import { unpinnedPackage } from "../config/packages.ts";
import { type Dialect, dialectOf } from "./dialects.ts";
import { isPlaceholder, literalSecrets, secretsLeftIn } from "./literal-secrets.ts";
import { validName } from "./names.ts";
import { isPlainList, isPlainObject, type Plain, type PlainObject, readPlain } from "./read.ts";
import { type Found, type FoundIn, serversIn } from "./roots.ts";
import { type TranslatedServer, translateServer } from "./server.ts";

export interface ImportedServer extends TranslatedServer {
  readonly name: string;
  /** Where our rule forbids the name, or another server of the file has it. */
  readonly originalName?: string;
  /** Secrets that stand in it as text, by their place. */
  readonly secrets: readonly { readonly field: string /** Its name in the secret store. */; readonly movedTo?: string | undefined }[];
}
export interface ImportedFile {
  readonly path: string;
  readonly dialect: string;
  readonly servers: readonly ImportedServer[];
  readonly warnings: readonly string[];
  readonly error?: string;
}

const ROOTS = "mcpServers, servers, mcp.servers, mcp, mcp_servers, context_servers or amp.mcpServers";

/** Total: a file that cannot be read or has no servers in it has an `error`. */
export function importFile(path: string, bytes: Uint8Array): ImportedFile {
  const failed = (error: string): ImportedFile => ({ path, dialect: "unknown", servers: [], warnings: [], error });
  const read = readPlain(path, bytes);
  if ("error" in read) return failed(read.error);
  const found = serversIn(read.value);
  if (found === undefined) return failed(`${path} is of no known dialect: it has no servers under ${ROOTS}`);
  const dialects = dialectsOf(path, found, bytes);
  const taken = new Set<string>();
  const servers = found.servers.map((server) => {
    const dialect = dialects.get(server.root);
    if (dialect === undefined) throw new Error("every root has a dialect");
    return imported(server, validName(server.name, taken), translateServer(server, dialect, found));
  });
  const warnings = [...found.warnings, ...(servers.length === 0 ? ["there are no servers in it"] : [])];
  return { path, dialect: [...new Set([...dialects.values()].map(({ name }) => name))].join(", "), servers, warnings };
}

function dialectsOf(path: string, { servers, roots }: FoundIn, bytes: Uint8Array): ReadonlyMap<string, Dialect> {
  const runsCommands = new TextDecoder().decode(bytes).includes("${cmd:");
  return new Map(
    roots.map((root) => {
      const own = servers.filter((server) => server.root === root);
      const fields = new Set(own.flatMap(({ entry }) => (isPlainObject(entry) ? Object.keys(entry) : [])));
      return [root, dialectOf(path, root, fields, runsCommands)] as const;
    }),
  );
}

function imported(source: Found, name: string, translated: TranslatedServer): ImportedServer {
  const found = literalSecrets(translated.entry);
  const placeholders = found
    .filter(({ value }) => isPlaceholder(value))
    .map(({ field }) => `${field}: looks like a placeholder for a secret`);
  const left = [...translated.notCarried, ...translated.unknown].flatMap(({ field }) => secretsLeftIn(field, valueAt(source.entry, field)));
  const fields = [...new Set([...found.map(({ field }) => field), ...left])];
  return {
    name,
    ...(name !== source.name && { originalName: source.name }),
    ...translated,
    secrets: fields.map((field) => ({ field })),
    warnings: [...translated.warnings, ...placeholders, ...advice(translated.entry)],
  };
}

const valueAt = (entry: Plain, field: string): Plain => (isPlainObject(entry) ? (entry[field] ?? null) : null);

/** What works differently here than where the entry comes from. */
function advice({ command, args, cwd }: PlainObject): string[] {
  if (typeof command !== "string") return [];
  const words = [command, ...(isPlainList(args) ? args.map(String) : [])];
  const [program = "", ...rest] = withoutShell(words);
  const unpinned = unpinnedPackage(program, rest);
  const isRelative = /^\.{1,2}(?:[\\/]|$)/.test(command) || (typeof cwd === "string" && !/^(?:[\\/~]|[A-Za-z]:|\$\{)/.test(cwd));
  return [
    ...(unpinned === undefined ? [] : [`${unpinned} is fetched in whatever version is newest: name an exact version`]),
    ...(isRelative ? ["a relative path starts at the folder of the file that the entry stands in"] : []),
    ...(words.length === 1 && /\s-/.test(command) ? ["the command holds its arguments: write them as args"] : []),
    ...(isOurselves(words) ? ["this is toolcrib itself: leave it out, a gateway cannot serve itself"] : []),
  ];
}

/** `cmd /c npx -y x` and `bash -c "npx -y x"` → `npx -y x`. */
function withoutShell(words: readonly string[]): readonly string[] {
  const [program = "", flag = "", ...rest] = words;
  if (/(?:^|[\\/])cmd(?:\.exe)?$/i.test(program) && /^\/c$/i.test(flag)) return rest;
  if (/(?:^|\/)(?:ba|da|z)?sh$/.test(program) && /^-l?c$/.test(flag)) return (rest[0] ?? "").trim().split(/\s+/);
  return words;
}

export const isOurselves = (words: readonly string[]): boolean =>
  words.some((word) => /(?:^|[\\/])toolcrib(?:\.exe|@[\w.-]+)?$/i.test(word)) && words.some((word) => word === "stdio" || word === "serve");
