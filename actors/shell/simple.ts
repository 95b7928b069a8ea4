/** A simple command: assignments, words and redirections in any order. */
import { readRedirect } from "./redirect.ts";
import { deeper, type Source, Unreadable } from "./source.ts";
import { type Assignment, literal, type Redirect, type Simple, type Word } from "./syntax.ts";
import { readWord, skipBlanks } from "./word.ts";

const ASSIGNMENT = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/;
const DESCRIPTOR = /^(\d+|\{\w+\})$/;

export const isBare = (word: Word): boolean => word.plain === word.text.length && word.text !== "";

/** `first`: its first word, if that has been read. Undefined where nothing is left to read. */
export function readSimple(source: Source, first: Word | undefined): Simple | undefined {
  const words: Word[] = [];
  const assignments: Assignment[] = [];
  const redirects: Redirect[] = [];
  const isTest = source.isTest || (first !== undefined && isBare(first) && first.text === "[[");
  const take = (word: Word) => {
    if (isBare(word) && DESCRIPTOR.test(word.text) && /[<>]/.test(source.text[source.at] ?? "")) return;
    const assigned = words.length === 0 ? assignmentIn(word, source) : undefined;
    if (assigned) assignments.push(...assigned);
    else {
      if (words.length === 0 && isBare(word) && word.text === "[[") source.isTest = true;
      if (isBare(word) && word.text === "]]") source.isTest = false;
      words.push(word);
    }
  };
  if (first) take(first);
  for (;;) {
    skipBlanks(source);
    const redirect = readRedirect(source, redirects);
    if (redirect) {
      redirects.push(redirect);
      continue;
    }
    const word = source.text[source.at] === "(" && words.length > 0 ? readStray(source) : readWord(source);
    if (!word) break;
    // To a shell that does not know `&>` the command ended before it, and this word begins another.
    if (redirects.some(({ operator }) => operator.startsWith("&>")))
      throw new Unreadable("a word behind &> is read differently by different shells");
    take(word);
  }
  if (words.length + assignments.length + redirects.length === 0) return undefined;
  return { kind: "simple", words, assignments, redirects, isTest };
}

/** `NAME=value`, or `NAME=(one two)`; undefined when the word is none. */
export function assignmentIn(word: Word, source?: Source): readonly Assignment[] | undefined {
  const found = ASSIGNMENT.exec(word.text);
  if (!found || found[0].length > word.plain) return undefined;
  const [all, name = ""] = found;
  const value = { ...word, text: word.text.slice(all.length), plain: word.plain - all.length };
  if (source === undefined || value.text !== "" || source.text[source.at] !== "(") return [{ name, value }];
  source.at += 1;
  const values: Assignment[] = [{ name, value }];
  for (;;) {
    while (source.text[source.at] === "\n") source.at += 1;
    skipBlanks(source);
    const char = source.text[source.at];
    const element = readWord(source);
    if (element) values.push({ name, value: element });
    else if (char === ")") break;
    else if (char !== "\n") throw new Unreadable("a list of values is not closed");
  }
  source.at += 1;
  if (!/[\s;&|)]/.test(source.text[source.at] ?? ";")) throw new Unreadable("a list of values does not end its word");
  return values;
}

/** A group where shells expect none: a pattern of some, a command of others. */
function readStray(source: Source): Word {
  source.at += 1;
  const body = deeper(source, () => source.list(source, true));
  if (source.text[source.at] !== ")") throw new Unreadable("a ( is not closed");
  source.at += 1;
  return { ...literal("()"), dynamic: "output", substitutions: [{ kind: "output", body }] };
}
