/** Which parts of one configured value are secrets: to register with the scrubber when resolved, to mask when written down. */
import { type Filled, joined, type Piece, parseTemplate, type ReferenceKind, writePiece } from "./references.ts";
import { canBeSecret, isAddress, isLongEnough, namesCredential, secretsOfUrl, withoutScheme } from "./secret-values.ts";
import type { Text } from "./texts.ts";

/** A secret that the scrubber is told of. `name` is the reference, or the key that holds the literal. */
export interface Registered {
  readonly name: string;
  readonly value: string;
  readonly kind: ReferenceKind | "literal";
}

export interface Rules {
  /** `secrets.register` and `secrets.ignore`: names, compared without case. */
  readonly register: readonly string[];
  readonly ignore: readonly string[];
  /** The name of the family of secrets that a value looks like (a scanner's opinion), or undefined. */
  readonly family?: (value: string) => string | undefined;
}

export interface Redaction {
  readonly family?: Rules["family"];
  /** What stands in place of a secret that is written out in a file. */
  readonly mask?: (secret: string) => string;
}
export const MASK = (): string => "[REDACTED literal]";

/** `secrets` of the configuration, with a scanner's opinion where there is one. */
export const rulesOf = ({ register, ignore }: Pick<Rules, "register" | "ignore">, { family }: Redaction): Rules => ({
  register,
  ignore,
  ...(family && { family }),
});

const lists = (names: readonly string[], name: string): boolean =>
  names.some((listed) => listed.replace(/^\$\{(?:env:)?(\w+)\}$/, "$1").toLowerCase() === name.toLowerCase());

/** The secrets of one value that is looked up; `where` is its path, `key` the name it is known by ("" when nothing names it). */
export function secretsIn({ where, key }: Pick<Text, "where" | "key">, pieces: readonly Filled[], rules: Rules): readonly Registered[] {
  const found: Registered[] = [];
  const add = (name: string, kind: Registered["kind"], value: string, always = false) => {
    const fits = always ? isLongEnough(value) : canBeSecret(value);
    if (fits && !lists(rules.ignore, name) && !found.some((one) => one.value === value)) found.push({ name, value, kind });
  };
  for (const piece of pieces) {
    if (piece.kind === "text") continue;
    const { kind, name, value } = piece;
    const asked = lists(rules.register, name);
    if (asked || kind !== "env" || namesCredential(name) || rules.family?.(value) !== undefined) add(name, kind, value, asked);
    for (const secret of secretsOfUrl(value)) add(name, kind, secret);
  }
  if (key !== "" && lists(rules.ignore, key)) return found;
  // The value as a whole: under a key that says so it is a secret, whatever it was put together from.
  const whole = joined(pieces);
  const only = pieces.length === 1 ? pieces[0] : undefined;
  const [name, kind] = only === undefined || only.kind === "text" ? [where, "literal" as const] : [only.name, only.kind];
  const asked = key !== "" && lists(rules.register, key);
  if (asked || (key !== "" && namesCredential(key)) || rules.family?.(whole) !== undefined) add(name, kind, withoutScheme(whole), asked);
  for (const secret of secretsOfUrl(whole)) add(name, kind, secret);
  return found;
}

/** A value as written, its literal secrets replaced by `mask`; references stay as they are. For the log and for `config show`. */
export function maskLiterals({ key, template }: Pick<Text, "key" | "template">, rules: Rules, mask: (secret: string) => string): string {
  const secretKey = key !== "" && !lists(rules.ignore, key) && (namesCredential(key) || lists(rules.register, key));
  const conceal = (text: string, named: boolean): string => {
    const bare = withoutScheme(text);
    if (bare.trim() !== "" && ((named && !isAddress(bare)) || rules.family?.(bare) !== undefined))
      return text.replace(bare, () => mask(bare));
    return secretsOfUrl(text).reduce((left, secret) => left.replaceAll(secret, () => mask(secret)), text);
  };
  return piecesOf(template)
    .map((piece) => {
      if (piece.kind === "text") return writePiece({ ...piece, text: conceal(piece.text, secretKey) });
      if (piece.otherwise === undefined) return writePiece(piece);
      const named = !lists(rules.ignore, piece.name) && (secretKey || namesCredential(piece.name) || lists(rules.register, piece.name));
      return writePiece({ ...piece, otherwise: conceal(piece.otherwise, named) });
    })
    .join("");
}

/** A value that is no valid template is all text here; resolving it will refuse the server. */
function piecesOf(template: string): readonly Piece[] {
  try {
    return parseTemplate(template);
  } catch {
    return [{ kind: "text", text: template }];
  }
}
