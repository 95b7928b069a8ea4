/** Reads a command line as shells do, a little more leniently: what they would refuse is read as the commands that it looks like. */
import { readHereDocs, readRedirect } from "./redirect.ts";
import { isBare, readSimple } from "./simple.ts";
import { deeper, type Source, sourceOf, Unreadable } from "./source.ts";
import type { Group, Pipeline, Redirect, Simple, Word } from "./syntax.ts";
import { readWord, skipBlanks } from "./word.ts";

type Stage = Simple | Group;
/** `closer`: what ended it; empty at the end of the text. A `)` is left where it is. */
interface List {
  readonly pipelines: readonly Pipeline[];
  readonly closer: string;
}
/** A word that ended the list instead of beginning a command. */
interface Closed {
  readonly closer: string;
}
const CLOSERS: Readonly<Record<string, string>> = { if: "fi", while: "done", until: "done", "{": "}" };
const ENDS = ["fi", "done", "esac", "}"];
/** Words in front of a command that only say when it runs. */
const PASSED = ["then", "else", "elif", "do", "!", "coproc", "always", "time"];
const CASE_END = ";;";

/** @throws Unreadable */
export function parseLine(text: string, within: Pick<Source, "budget" | "depth">): readonly Pipeline[] {
  return readList(sourceOf(text, { ...within, list }), []).pipelines;
}

function list(source: Source, isInner: boolean): readonly Pipeline[] {
  return readList(source, isInner ? [")"] : []).pipelines;
}

function readList(source: Source, closers: readonly string[]): List {
  const pipelines: Pipeline[] = [];
  for (;;) {
    skipBlanks(source);
    const { text, at } = source;
    const char = text[at];
    if (char === undefined) return { pipelines, closer: "" };
    if (char === ")" && closers.includes(char)) return { pipelines, closer: char };
    const end = closers.includes(CASE_END) ? endOfCase(source) : undefined;
    if (end !== undefined) return { pipelines, closer: end };
    if ((char === "&" && text[at + 1] !== ">") || /[\n;|)]/.test(char)) {
      source.at += 1;
      if (char === "\n" || char === ";") source.isTest = false;
      if (char === "\n") readHereDocs(source);
      continue;
    }
    const read = readPipeline(source, closers);
    if (read.pipeline) pipelines.push(read.pipeline);
    if (read.closer !== undefined) return { pipelines, closer: read.closer };
    if (source.at === at) source.at += 1;
  }
}

function endOfCase(source: Source): string | undefined {
  const found = /^;;&|^;;|^;&/.exec(source.text.slice(source.at, source.at + 3))?.[0];
  if (found === undefined) return undefined;
  source.at += found.length;
  return CASE_END;
}

function readPipeline(source: Source, closers: readonly string[]): { pipeline?: Pipeline; closer?: string } {
  const stages: Stage[] = [];
  let closer: string | undefined;
  for (;;) {
    const read = readStage(source, closers);
    if (read && "closer" in read) closer = read.closer;
    else if (read) stages.push(read);
    if (!read || closer !== undefined) break;
    skipBlanks(source);
    if (source.text[source.at] !== "|" || source.text[source.at + 1] === "|") break;
    source.at += source.text[source.at + 1] === "&" ? 2 : 1;
    skipLines(source);
  }
  const isBackground = source.text[source.at] === "&" && !/[&>]/.test(source.text[source.at + 1] ?? "");
  return { ...(stages.length > 0 && { pipeline: { stages, isBackground } }), ...(closer !== undefined && { closer }) };
}

function skipLines(source: Source): void {
  skipBlanks(source);
  while (source.text[source.at] === "\n") {
    source.at += 1;
    readHereDocs(source);
    skipBlanks(source);
  }
}

function readStage(source: Source, closers: readonly string[]): Stage | Closed | undefined {
  for (;;) {
    skipBlanks(source);
    if (source.text[source.at] === "(") {
      source.at += 1;
      const { isArithmetic } = source;
      source.isArithmetic ||= source.text[source.at] === "(";
      const { pipelines, closer } = deeper(source, () => readList(source, [")"]));
      source.isArithmetic = isArithmetic;
      if (closer === "") throw new Unreadable("a ( is not closed");
      source.at += 1;
      return grouped(source, pipelines);
    }
    const word = readWord(source);
    if (word && isBare(word)) {
      if (closers.includes(word.text)) return { closer: word.text };
      if (word.text === "for" || word.text === "select") return readFor(source);
      if (word.text === "case") return deeper(source, () => readCase(source));
      if (word.text === "function") return readFunction(source, readName(source), closers);
      const closer = Object.hasOwn(CLOSERS, word.text) ? CLOSERS[word.text] : undefined;
      if (closer !== undefined) return grouped(source, deeper(source, () => readList(source, [closer])).pipelines);
      if (ENDS.includes(word.text) || isPassed(source, word.text)) continue;
    }
    return word && take(source, /[ \t]*\([ \t]*\)/y) ? readFunction(source, word.text, closers) : readSimple(source, word);
  }
}

/** `time` with options is a program of its own; a name may stand behind `coproc`. */
function isPassed(source: Source, word: string): boolean {
  if (!PASSED.includes(word)) return false;
  if (word === "coproc") take(source, /[ \t]+\w+[ \t]+(?=[{(])/y);
  return word !== "time" || !/^[ \t]+-/.test(source.text.slice(source.at, source.at + 80));
}

function take(source: Source, pattern: RegExp): boolean {
  pattern.lastIndex = source.at;
  const isThere = pattern.test(source.text);
  if (isThere) source.at = pattern.lastIndex;
  return isThere;
}

function readName(source: Source): string {
  skipBlanks(source);
  const name = readWord(source)?.text ?? "";
  take(source, /[ \t]*\([ \t]*\)/y);
  return name;
}

function readFunction(source: Source, name: string, closers: readonly string[]): Group | Closed {
  skipLines(source);
  const body = deeper(source, () => readStage(source, closers));
  if (body && "closer" in body) return body;
  return { kind: "group", name, redirects: [], body: body ? [{ stages: [body], isBackground: false }] : [] };
}

/** A compound command with the redirections behind it. */
function grouped(source: Source, body: readonly Pipeline[]): Group {
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(source);
    take(source, /(?:\d+|\{\w+\})(?=[<>])/y);
    const redirect = readRedirect(source, redirects);
    if (!redirect) return { kind: "group", body, redirects };
    redirects.push(redirect);
  }
}

/** Words that are values of a variable without being commands. */
function valuesOf(words: readonly Word[], name = ""): Pipeline {
  const assignments = words.map((value) => ({ name, value }));
  return { stages: [{ kind: "simple", words: [], assignments, redirects: [], isTest: false }], isBackground: false };
}

function readFor(source: Source): Group {
  skipBlanks(source);
  const name = readWord(source)?.text ?? "";
  const values: Word[] = [];
  skipLines(source);
  if (take(source, /in(?=[\s;])/y)) for (let value = nextWord(source); value; value = nextWord(source)) values.push(value);
  const { pipelines } = deeper(source, () => readList(source, ["done"]));
  return grouped(source, [valuesOf(values, name), ...pipelines]);
}

function nextWord(source: Source): Word | undefined {
  skipBlanks(source);
  return readWord(source);
}

function readCase(source: Source): Group {
  const values: Word[] = [];
  const about = nextWord(source);
  if (about) values.push(about);
  skipLines(source);
  readWord(source);
  const body: Pipeline[] = [];
  for (let closer = CASE_END; closer === CASE_END; ) {
    skipLines(source);
    take(source, /\(/y);
    const pattern = nextWord(source);
    if (pattern && isBare(pattern) && pattern.text === "esac") break;
    if (pattern) values.push(pattern);
    for (skipBlanks(source); take(source, /\|/y); skipBlanks(source)) {
      const other = nextWord(source);
      if (other) values.push(other);
    }
    if (!take(source, /\)/y)) throw new Unreadable("a case is not closed");
    const read = readList(source, [CASE_END, "esac"]);
    body.push(...read.pipelines);
    closer = read.closer;
  }
  return grouped(source, [valuesOf(values), ...body]);
}
