/** One word of a command line, and the blanks in front of it. */
import { readAnsi } from "./ansi.ts";
import { readBackticks, readDollar, readDouble, readSingle, readSubstitution } from "./quoting.ts";
import { newDraft, type Source, Unreadable, wordOf } from "./source.ts";
import type { Word } from "./syntax.ts";

const ENDS = " \t\n;&|<>()";

/** Past blanks, continued lines and a comment; a line break stays. */
export function skipBlanks(source: Source): void {
  const { text } = source;
  for (;;) {
    const char = text[source.at];
    if (char === " " || char === "\t") source.at += 1;
    else if (char === "\\" && text[source.at + 1] === "\n") source.at += 2;
    else if (char === "#") {
      if (source.isArithmetic) throw new Unreadable("a # behind (( is read differently by different shells");
      const end = text.indexOf("\n", source.at);
      source.at = end < 0 ? text.length : end;
    } else return;
  }
}

/** The word that begins here; undefined where none does. */
export function readWord(source: Source): Word | undefined {
  const { text } = source;
  const start = source.at;
  const draft = newDraft();
  let plain: number | undefined;
  let isPattern = false;
  /** Of a pattern, what has been opened and what else its kind needs: `[…]`, `{a,b}`, `{1..9}`. */
  const open = { bracket: false, brace: false, several: false };
  const quoted = () => {
    plain ??= draft.text.length;
  };
  for (;;) {
    const char = text[source.at];
    const isProcess = (char === "<" || char === ">") && text[source.at + 1] === "(";
    if (char === undefined || (ENDS.includes(char) && !isProcess)) break;
    source.at += 1;
    if (isProcess) {
      quoted();
      source.at += 1;
      readSubstitution(source, draft, char === "<" ? "from" : "into");
    } else if (char === "\\") {
      const next = text[source.at];
      if (next !== undefined) source.at += 1;
      if (next === "\n") continue;
      quoted();
      draft.text += next ?? "\\";
    } else if (char === "'") {
      quoted();
      draft.text += readSingle(source);
    } else if (char === '"') {
      quoted();
      readDouble(source, draft);
    } else if (char === "`") {
      quoted();
      readBackticks(source, draft, false);
    } else if (char === "$") {
      quoted();
      const next = text[source.at];
      if (next === "'" || next === '"') source.at += 1;
      if (next === "'") draft.text += readAnsi(source);
      else if (next === '"') readDouble(source, draft);
      else readDollar(source, draft, false);
    } else {
      draft.text += char;
      if (char === "*" || char === "?" || (char === "]" && open.bracket) || (char === "}" && open.several)) isPattern = true;
      if (char === "[") open.bracket = true;
      if (char === "{") open.brace = true;
      if (open.brace && (char === "," || (char === "." && text[source.at] === "."))) open.several = true;
    }
  }
  return source.at === start ? undefined : wordOf(draft, { plain: plain ?? draft.text.length, isPattern });
}
