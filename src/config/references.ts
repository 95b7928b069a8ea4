/** The reference language of values: `${env:NAME}`, `${env:NAME:-default}`, `${NAME}`, `${file:PATH}`, `${secret:NAME}`, `${cred:NAME}`; `$${` is a plain `${`. */
import { join, resolve } from "node:path";
import type { Env } from "./paths.ts";

export type ReferenceKind = "env" | "file" | "secret" | "cred";

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: ReferenceKind; readonly name: string; readonly otherwise?: string };

/** A piece with its value. `name` is a variable, a path or a key, as written. */
export type Filled =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: ReferenceKind; readonly name: string; readonly value: string };

interface Placed {
  /** Its path in the configuration. */
  readonly where: string;
  readonly template: string;
}

/** Where the values of references come from. */
export interface Sources {
  readonly env: Env;
  /** The content of a file; throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** The secret store. */
  readonly secret?: (name: string) => string | undefined;
}

/** What is wrong with a reference, in words that name it and hold no value. */
export class UnresolvedReference extends Error {}

const KINDS: readonly string[] = ["env", "file", "secret", "cred"];
const NAMES: Readonly<Record<ReferenceKind, RegExp>> = {
  env: /^[A-Za-z_][A-Za-z0-9_]*$/,
  file: /^[^\0]+$/,
  secret: /^[A-Za-z0-9_.-]+$/,
  cred: /^(?!\.)[A-Za-z0-9_.-]+$/,
};

/** A piece as it is written in a file. */
export function writePiece(piece: Piece): string {
  if (piece.kind === "text") return piece.text.replaceAll("${", () => "$${");
  return `\${${piece.kind}:${piece.name}${piece.otherwise === undefined ? "" : `:-${piece.otherwise}`}}`;
}

/** Split a value into plain text and references. Throws UnresolvedReference. */
export function parseTemplate(template: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let text = "";
  for (let i = 0; i < template.length; ) {
    if (template.startsWith("$${", i)) {
      text += "${";
      i += 3;
    } else if (template.startsWith("${", i)) {
      const end = template.indexOf("}", i);
      if (end < 0) throw new UnresolvedReference("a reference ${ is not closed; write $${ for a plain ${");
      if (text !== "") pieces.push({ kind: "text", text });
      text = "";
      pieces.push(parseReference(template.slice(i + 2, end)));
      i = end + 1;
    } else text += template[i++];
  }
  if (text !== "") pieces.push({ kind: "text", text });
  return pieces;
}

function parseReference(body: string): Piece {
  const colon = body.indexOf(":");
  const word = colon < 0 ? "" : body.slice(0, colon);
  const typed = isKind(word);
  const kind = typed ? word : "env"; // ${NAME} and ${NAME:-default} are the short spelling of env
  const rest = typed ? body.slice(colon + 1) : body;
  const split = kind === "env" ? rest.indexOf(":-") : -1;
  const name = split < 0 ? rest : rest.slice(0, split);
  if (!NAMES[kind].test(name))
    throw new UnresolvedReference(
      `\${${body}} is not a reference; known are \${env:NAME}, \${env:NAME:-default}, \${file:PATH}, \${secret:NAME}, \${cred:NAME}`,
    );
  return split < 0 ? { kind, name } : { kind, name, otherwise: rest.slice(split + 2) };
}

const isKind = (word: string): word is ReferenceKind => KINDS.includes(word);

/** Look up every reference of a value. Relative paths start at `folder`. Throws UnresolvedReference naming what is missing. */
export function fillTemplate(template: string, folder: string, sources: Sources): readonly Filled[] {
  return parseTemplate(template).map((piece) => {
    if (piece.kind === "text") return { kind: "text", value: piece.text };
    return { kind: piece.kind, name: piece.name, value: lookUp(piece, folder, sources) };
  });
}

/** The same for a text of the configuration: what is missing is said with its path in front. */
export function fillAt({ where, template }: Placed, folder: string, sources: Sources): readonly Filled[] {
  try {
    return fillTemplate(template, folder, sources);
  } catch (error) {
    throw error instanceof UnresolvedReference ? new UnresolvedReference(`${where}: ${error.message}`) : error;
  }
}

export const joined = (pieces: readonly Filled[]): string => pieces.map((piece) => piece.value).join("");

type Reference = Exclude<Piece, { kind: "text" }>;

/** The file that `${file:}` or `${cred:}` names; undefined for other references, and where there are no credentials. */
export function fileOf({ kind, name }: Reference, folder: string, env: Env): string | undefined {
  if (kind === "file") return resolve(folder, name);
  const credentials = env["CREDENTIALS_DIRECTORY"];
  return kind !== "cred" || credentials === undefined || credentials === "" ? undefined : join(credentials, name);
}

function lookUp(piece: Reference, folder: string, sources: Sources): string {
  const { kind, name } = piece;
  switch (kind) {
    case "env": {
      const value = sources.env[name];
      if (value !== undefined && (value !== "" || piece.otherwise === undefined)) return value;
      if (piece.otherwise !== undefined) return piece.otherwise;
      throw new UnresolvedReference(`the environment variable ${name} is not set; set it, or write \${env:${name}:-default}`);
    }
    case "file":
    case "cred": {
      const path = fileOf(piece, folder, sources.env);
      if (path !== undefined) return readOr(sources, path, `\${${kind}:${name}}`);
      throw new UnresolvedReference(
        `the credential ${name} is not there: $CREDENTIALS_DIRECTORY is not set (systemd sets it for LoadCredential=)`,
      );
    }
    case "secret": {
      const value = sources.secret?.(name);
      if (value === undefined) throw new UnresolvedReference(`the secret ${name} is not in the secret store`);
      return value;
    }
  }
}

/** Files of secrets end with a newline that is not part of the secret. */
function readOr(sources: Sources, path: string, reference: string): string {
  try {
    return sources.readFile(path).replace(/\r?\n$/, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new UnresolvedReference(`${reference} cannot be read (${code})`);
  }
}
