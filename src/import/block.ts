/** What a person puts into a configuration: the servers of all files in one block, and their secrets in the store instead of in the block. */
import { Server } from "../config/server-schema.ts";
import { canonicalize } from "../observe/canonical.ts";
import { type ImportedFile, type ImportedServer, isOurselves } from "./import-file.ts";
import { mapSecrets, storeName } from "./literal-secrets.ts";
import { validName } from "./names.ts";
import { isPlainList, type PlainObject } from "./read.ts";

export interface Block {
  readonly mcpServers: Readonly<Record<string, PlainObject>>;
  /** What is not in it, or not under its name, and why. */
  readonly warnings: readonly string[];
}

/** The same server of several clients stands in it once; another one of the same name gets a name of its own. */
export function blockOf(files: readonly ImportedFile[]): Block {
  const taken = new Set<string>();
  const servers = new Map<string, PlainObject>();
  const seen = new Set<string>();
  const warnings: string[] = [];
  for (const { path, name, entry } of files.flatMap((file) => file.servers.map((server) => ({ path: file.path, ...server })))) {
    if (Object.keys(entry).length === 0) warnings.push(`${name} of ${path} is left out: it cannot be used here`);
    else if (isOurselves(wordsOf(entry))) warnings.push(`${name} of ${path} is left out: it is toolcrib itself`);
    else {
      const same = canonicalize([name, Server.parse(entry)], "escape");
      if (seen.has(same)) continue;
      seen.add(same);
      const own = validName(name, taken);
      if (own !== name) warnings.push(`${name} of ${path} is called ${own}: another server has its name`);
      servers.set(own, entry);
    }
  }
  return { mcpServers: Object.fromEntries(servers), warnings };
}

const wordsOf = ({ command, args }: PlainObject): string[] => [String(command ?? ""), ...(isPlainList(args) ? args.map(String) : [])];

export interface Moved {
  readonly files: readonly ImportedFile[];
  /** What has to be stored, by name. */
  readonly values: ReadonlyMap<string, string>;
}

/** Puts a reference in the place of every literal secret of an entry; the same value gets the same name. `stored` is what the store holds already. */
export function moveSecrets(files: readonly ImportedFile[], stored: (name: string) => string | undefined): Moved {
  const values = new Map<string, string>();
  const moved = (server: ImportedServer): ImportedServer => {
    const movedTo = new Map<string, string>();
    const entry = mapSecrets(server.entry, (secret) => {
      const isFree = (name: string) => [secret.value, undefined].includes(values.get(name) ?? stored(name));
      const name = storeName(server.name, secret, isFree);
      values.set(name, secret.value);
      movedTo.set(secret.field, name);
      return name;
    });
    const secrets = server.secrets.map(({ field }) => ({ field, ...(movedTo.has(field) && { movedTo: movedTo.get(field) }) }));
    return { ...server, entry, secrets };
  };
  return { files: files.map((file) => ({ ...file, servers: file.servers.map(moved) })), values };
}
