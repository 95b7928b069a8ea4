/** Redirections, and the texts of here-documents behind the line that announces them. */
import { readDouble } from "./quoting.ts";
import { MAX_REDIRECTS, newDraft, type Source, sourceOf, Unreadable, wordOf } from "./source.ts";
import { literal, type Redirect, type Word } from "./syntax.ts";
import { readWord, skipBlanks } from "./word.ts";

const OPERATOR = /<<<|<<-|<<|<&|<>|<|&>>|&>|>>|>\||>&|>!|>/y;

/** The redirection that begins here; undefined where none does. `<(` begins a word. */
export function readRedirect(source: Source, before: readonly Redirect[]): Redirect | undefined {
  OPERATOR.lastIndex = source.at;
  const operator = OPERATOR.exec(source.text)?.[0];
  if (operator === undefined || ((operator === "<" || operator === ">") && source.text[source.at + 1] === "(")) return undefined;
  if (before.length >= MAX_REDIRECTS) throw new Unreadable("it has too many redirections");
  source.at += operator.length;
  skipBlanks(source);
  const target = readWord(source) ?? literal("");
  return operator === "<<" || operator === "<<-" ? announce(source, operator, target) : { operator, target };
}

function announce(source: Source, operator: string, delimiter: Word): Redirect {
  if (source.isArithmetic) throw new Unreadable("a << behind (( is read differently by different shells");
  if (delimiter.dynamic !== "no") throw new Unreadable("the end of a here-document is not a fixed word");
  const redirect: { operator: string; target: Word } = { operator: "<<", target: literal("") };
  source.hereDocs.push({
    delimiter: delimiter.text,
    isQuoted: delimiter.plain < delimiter.text.length || delimiter.text === "",
    stripsTabs: operator === "<<-",
    fill: (body) => {
      redirect.target = body;
    },
  });
  return redirect;
}

/** Behind a line break: the texts that the line before it has announced. */
export function readHereDocs(source: Source): void {
  if (source.isAwaited) throw new Unreadable("a here-document is announced outside of a substitution of several lines");
  const waiting = source.hereDocs;
  source.hereDocs = [];
  for (const { delimiter, isQuoted, stripsTabs, fill } of waiting) {
    let body = "";
    while (source.at < source.text.length) {
      let line = readLine(source);
      while (!isQuoted && endsOpen(line) && source.at < source.text.length) line = line.slice(0, -1) + readLine(source);
      if (stripsTabs) line = line.replace(/^\t+/, "");
      if (line === delimiter) break;
      body += `${line}\n`;
    }
    fill(isQuoted ? literal(body) : expanded(body, source));
  }
}

function readLine(source: Source): string {
  const end = source.text.indexOf("\n", source.at);
  const line = source.text.slice(source.at, end < 0 ? undefined : end);
  source.at = end < 0 ? source.text.length : end + 1;
  return line;
}

/** It goes on in the next line: its last backslash is not itself behind one. */
function endsOpen(line: string): boolean {
  let slashes = 0;
  while (line[line.length - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

function expanded(body: string, parent: Source): Word {
  const source = sourceOf(body, parent);
  const draft = newDraft();
  readDouble(source, draft, true);
  return wordOf(draft);
}
