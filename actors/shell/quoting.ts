/** What stands in a word beside its letters: quotes, variables, arithmetic and substitutions. */
import { type Draft, deeper, type Source, sourceOf, Unreadable } from "./source.ts";
import type { Dynamic, Substitution } from "./syntax.ts";

const NAME = /[A-Za-z_]\w*|\d|[@*#?$!-]/y;
/** What arithmetic is made of; anything else is read as commands, which is the stricter reading. */
const ARITHMETIC = /[\w\s+\-*/%<>=!&|^~?:,.$[\]]/;

const raise = (draft: Draft, to: Dynamic) => {
  if (draft.dynamic !== "output") draft.dynamic = to;
};

/** Behind the opening `'`. */
export function readSingle(source: Source): string {
  const end = source.text.indexOf("'", source.at);
  if (end < 0) throw new Unreadable("a quote is not closed");
  const read = source.text.slice(source.at, end);
  source.at = end + 1;
  return read;
}

/** Behind the opening `"`, up to the closing one; of a here-document, which nothing closes, up to its end. */
export function readDouble(source: Source, draft: Draft, isHereDoc = false): void {
  for (;;) {
    const char = source.text[source.at];
    if (char === undefined) {
      if (isHereDoc) return;
      throw new Unreadable("a quote is not closed");
    }
    source.at += 1;
    if (char === '"' && !isHereDoc) return;
    if (char === "\\") readBackslash(source, draft, isHereDoc);
    else if (char === "$") readDollar(source, draft, true);
    else if (char === "`") readBackticks(source, draft, !isHereDoc);
    else draft.text += char;
  }
}

/** Between double quotes most characters keep the backslash in front of them. */
function readBackslash(source: Source, draft: Draft, isHereDoc: boolean): void {
  const next = source.text[source.at] ?? "";
  const isEscaped = next !== "" && (isHereDoc ? "$`\\\n" : '$`"\\\n').includes(next);
  if (isEscaped) source.at += 1;
  draft.text += !isEscaped ? "\\" : next === "\n" ? "" : next;
}

/** Behind a `$`. */
export function readDollar(source: Source, draft: Draft, isDouble: boolean): void {
  const { text } = source;
  const start = source.at - 1;
  const next = text[source.at];
  const end = next === "(" && text[source.at + 1] === "(" ? endOfArithmetic(text, source.at + 2) : undefined;
  if (end !== undefined) {
    source.at = end;
    raise(draft, "value");
  } else if (next === "(") {
    source.at += 1;
    readSubstitution(source, draft, "output");
    return;
  } else if (next === "{") {
    source.at += 1;
    const before = draft.substitutions.length;
    deeper(source, () => readBraces(source, draft, isDouble));
    if (draft.substitutions.length > before) {
      draft.text += "$_";
      return;
    }
  } else if (next === "[") {
    throw new Unreadable("a $[ is arithmetic to some shells and a pattern to others");
  } else {
    NAME.lastIndex = source.at;
    if (NAME.test(text)) {
      source.at = NAME.lastIndex;
      raise(draft, "value");
    }
  }
  draft.text += text.slice(start, source.at);
}

/** Behind the `))` that ends what began with `$((`; undefined when it is, or in some shell may be, a substitution that begins with a group. */
function endOfArithmetic(text: string, from: number): number | undefined {
  let open = 0;
  let last = "";
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] ?? "";
    const isApart = /\s/.test(text[at - 1] ?? "") && /[\w$(]/.test(char);
    if (isApart && /[\w)\]]/.test(last)) return undefined; // no operator between two values: no arithmetic
    if (!/\s/.test(char)) last = char;
    if (char === "(" && text[at - 1] === "$") return undefined;
    if (char === "(") open += 1;
    else if (char === ")" && open === 0) return text[at + 1] === ")" ? at + 2 : undefined;
    else if (char === ")") open -= 1;
    else if (!ARITHMETIC.test(char)) return undefined;
  }
  return undefined;
}

/** Behind `${`, up to its `}`. What runs inside of it counts for the word; its text is for the caller. */
function readBraces(source: Source, draft: Draft, isDouble: boolean): void {
  if (/[\s|]/.test(source.text[source.at] ?? ""))
    throw new Unreadable("a blank behind the brace of a variable runs commands in some shells");
  const inner: Draft = { text: "", dynamic: "no", substitutions: draft.substitutions };
  for (;;) {
    const char = source.text[source.at++];
    if (char === undefined) throw new Unreadable("a ${ is not closed");
    if (char === "}") break;
    if (char === "\\") source.at += 1;
    else if (char === '"') readDouble(source, inner);
    else if (char === "$") readDollar(source, inner, isDouble);
    else if (char === "`") readBackticks(source, inner, isDouble);
    else if (char === "'") {
      if (isDouble)
        throw new Unreadable("a single quote in the braces of a variable between double quotes is read differently by different shells");
      readSingle(source);
    }
  }
  raise(draft, inner.dynamic === "output" ? "output" : "value");
}

/** Behind `$(`, `<(` or `>(`. */
export function readSubstitution(source: Source, draft: Draft, kind: Substitution["kind"]): void {
  const { hereDocs, isAwaited, isTest, isArithmetic } = source;
  source.isAwaited = isAwaited || hereDocs.length > 0;
  source.hereDocs = [];
  source.isTest = false;
  source.isArithmetic = source.text[source.at] === "(";
  const body = deeper(source, () => source.list(source, true));
  if (source.text[source.at] !== ")") throw new Unreadable("a ( is not closed");
  if (source.hereDocs.length > 0) throw new Unreadable("a here-document is announced in a substitution and stands outside of it");
  Object.assign(source, { hereDocs, isAwaited, isTest, isArithmetic });
  source.at += 1;
  draft.substitutions.push({ kind, body });
  draft.dynamic = "output";
  draft.text += { output: "$()", from: "<()", into: ">()" }[kind];
}

/** Behind the opening backtick. The text between is a command line of its own once its backslashes are taken away. */
export function readBackticks(source: Source, draft: Draft, isDouble: boolean): void {
  let inner = "";
  for (;;) {
    const char = source.text[source.at++];
    if (char === undefined) throw new Unreadable("a backtick is not closed");
    if (char === "`") break;
    const next = source.text[source.at] ?? "";
    const isEscaped = char === "\\" && next !== "" && (isDouble ? '$`\\"' : "$`\\").includes(next);
    if (isEscaped) source.at += 1;
    inner += isEscaped ? next : char;
  }
  const of = sourceOf(inner, source);
  draft.substitutions.push({ kind: "output", body: deeper(of, () => of.list(of, false)) });
  draft.dynamic = "output";
  draft.text += "$()";
}
