/** Canaries: secrets with a core that is found again in any encoding, and places to look for it. */
import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export interface Canary {
  readonly value: string;
  /** Stands in the value and in every encoding of it that keeps letters and digits as they are. */
  readonly core: string;
}

/** `plain` ones can stand in a name. */
export function makeCanary(kind: string, plain = false): Canary {
  const core = `${kind}${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`;
  return { core, value: plain ? core : `${core}"q\\z/+=&é ~${kind}` };
}

/** The value as it is, in base64, base64url, URL-encoded and inside a JSON text. */
export const formsOf = ({ value }: Canary): readonly string[] => [
  value,
  Buffer.from(value).toString("base64"),
  Buffer.from(value).toString("base64url"),
  encodeURIComponent(value),
  JSON.stringify({ inside: value }),
  Buffer.from(`user:${value}`).toString("base64"),
];

/** What the core looks like: itself, and what base64 makes of its middle wherever it begins in a group of three. */
const needlesOf = ({ core }: Canary): readonly string[] => [
  core,
  Buffer.from(core).toString("hex"),
  ...[0, 1, 2].map((lead) =>
    Buffer.concat([Buffer.alloc(lead), Buffer.from(core)])
      .toString("base64")
      .slice(4, 24),
  ),
];

/** The canaries that a text shows, with what stands around them. */
export function shownIn(text: string, canaries: readonly Canary[]): readonly string[] {
  return canaries.flatMap((canary) =>
    needlesOf(canary).flatMap((needle) => {
      const at = text.indexOf(needle);
      return at < 0 ? [] : [text.slice(Math.max(0, at - 120), at + needle.length + 20)];
    }),
  );
}

/** Every file of a folder (`keys` left out) byte by byte, and every value of its databases, where long ones are not cut into pages. */
export function shownInFolder(folder: string, canaries: readonly Canary[]): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).filter((path) => !path.startsWith(join(folder, "keys")));
  return paths.flatMap((path) => {
    const inBytes = shownIn(readFileSync(path, "latin1"), canaries);
    const inValues = path.endsWith("events.db") ? shownIn(dumpOf(path), canaries) : [];
    return [...inBytes, ...inValues].map((found) => `${relative(folder, path)}: ${found}`);
  });
}

function dumpOf(path: string): string {
  using db = new Database(path, { readonly: true });
  const tables = db.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all();
  const rows = tables.flatMap(({ name }) => db.query(`select * from "${name}"`).values());
  return rows
    .map((row) => row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value))).join("\t"))
    .join("\n");
}
