/** The questions that rules ask of one command. */
import type { Invocation } from "./invocation.ts";
import { has, readOptions, valuesOf } from "./options.ts";
import { AWKS, INTERPRETERS, PRINTERS, SHELL_OPTIONS, SHELLS, withoutPlus } from "./programs.ts";
import type { Word } from "./syntax.ts";

/** Asked by many rules, answered once. */
function once<T>(ask: (of: Invocation) => T): (of: Invocation) => T {
  const known = new WeakMap<Invocation, { readonly answer: T }>();
  return (of) => {
    const answered = known.get(of) ?? { answer: ask(of) };
    known.set(of, answered);
    return answered.answer;
  };
}

export const flag = (of: Invocation, letters: string, names: readonly string[] = []): boolean => has(of.options, letters, names);
export const values = (of: Invocation, letters: string, names: readonly string[] = []): readonly string[] =>
  valuesOf(of.options, letters, names).map(({ text }) => text);
export const texts = (of: Invocation): readonly string[] => of.args.map(({ text }) => text);
export const operands = (of: Invocation): readonly string[] => of.options.operands.map(({ text }) => text);
export const anyArg = (of: Invocation, pattern: RegExp): boolean => of.args.some(({ text }) => pattern.test(text));

/** One of the words is the program's verb: its first operand, or its second where an option may have taken the first for its value. */
export function verb(of: Invocation, words: readonly string[]): boolean {
  const [first = "", second = ""] = operands(of);
  return words.includes(first.toLowerCase()) || (of.options.isUnsure && words.includes(second.toLowerCase()));
}

/** `//etc/./x/../y` → `/etc/y`. What does not begin at the root stays as it is, but for its slashes. */
export function pathOf(text: string): string {
  if (!text.startsWith("/")) return text.replace(/^(\.\/+)+/, "");
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
export const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Paths that the command writes to, as far as they can be seen. */
export const written = once((of): readonly string[] => {
  const to = of.redirects.filter(({ operator }) => /^(&?>|<>)/.test(operator)).map(({ target }) => target.text);
  return [...to, ...writtenByArguments(of)].map(pathOf);
});

function writtenByArguments(of: Invocation): readonly string[] {
  const named = operands(of);
  if (/^g?(cp|mv|ln|install)$|^(rsync|scp)$/.test(of.program))
    return [...values(of, "t", ["target-directory"]), ...named.slice(1).slice(-1)];
  if (/^(tee|truncate|touch|mkdir|rm|rmdir|unlink|shred|sponge|patch)$/.test(of.program)) return named;
  if (of.program === "dd") return named.flatMap((text) => (text.startsWith("of=") ? [text.slice(3)] : []));
  if (/^g?sed$/.test(of.program) && flag(of, "iI", ["in-place"])) return named;
  if (/^(perl|ruby)$/.test(of.program) && anyArg(of, /^-\w*i/)) return named;
  if (of.program === "curl") return values(of, "oD", ["output", "dump-header", "output-dir"]);
  if (/^wget2?$/.test(of.program)) return values(of, "OP", ["output-document", "directory-prefix"]);
  if (of.program === "sort") return values(of, "o", ["output"]);
  if (/^(vi|vim|nvim|ed|ex|nano|emacs)$/.test(of.program)) return named;
  return [];
}

/** Paths from the root that its words name: operands, values of options, what follows `=` or `@`. Of programs that only print them, none. */
export const named = once((of): readonly string[] => {
  const words = PRINTERS.includes(of.program) ? [] : texts(of);
  const from = of.redirects.filter(({ operator }) => operator !== "<<" && operator !== "<<<").map(({ target }) => target.text);
  return [...words.flatMap((text) => [text, text.replace(/^[^=]*=/, ""), text.replace(/^[^@]*@/, "")]), ...from]
    .filter(isRooted)
    .map(pathOf);
});
const isRooted = (text: string): boolean => text.startsWith("/");

export const isShell = (of: Invocation): boolean => SHELLS.includes(of.program);
export const isInterpreter = (of: Invocation): boolean => INTERPRETERS.includes(of.program);

/** The file that a shell or an interpreter is given to run; undefined when it reads its standard input. */
export function programFile(of: Invocation): string | undefined {
  const {
    operands: [first, second],
  } = isShell(of) ? readOptions(withoutPlus(of.args), SHELL_OPTIONS) : of.options;
  const runs = isShell(of) ? flag(of, "s") && "" : first?.text === "run" && second?.text;
  const file = typeof runs === "string" ? runs || undefined : first?.text;
  return file === undefined || /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(file) ? undefined : file;
}

/** A shell or an interpreter that takes what it runs from its standard input. */
export function runsItsInput(of: Invocation): boolean {
  if (isShell(of)) return of.scripts.length === 0 && programFile(of) === undefined;
  return isInterpreter(of) && programFile(of) === undefined && !hasProgram(of);
}

const INLINE: Readonly<Record<string, readonly [letters: string, names: readonly string[]]>> = {
  python: ["c", []],
  perl: ["eE", []],
  ruby: ["e", []],
  node: ["ep", ["eval", "print"]],
  nodejs: ["ep", ["eval", "print"]],
  bun: ["ep", ["eval", "print"]],
  php: ["rBRE", ["run"]],
  lua: ["e", []],
  luajit: ["e", []],
  osascript: ["e", []],
  rscript: ["e", []],
  expect: ["c", []],
};

/** Its program stands in its arguments, or is a module of its own: `python -m`. */
const hasProgram = (of: Invocation): boolean =>
  (of.program === "python" && flag(of, "m")) ||
  flag(of, ...(INLINE[of.program] ?? (["", []] as const))) ||
  anyArg(of, /^--version$|^-[vVh]$|^--help$/);

/** The text of another language that it is to run, as far as that stands in the command. */
export const inlineCode = once((of): string => {
  if (AWKS.includes(of.program)) return operands(of)[0] ?? "";
  if (!isInterpreter(of)) return "";
  const [letters, names] = INLINE[of.program] ?? ["", []];
  const documents = programFile(of) === undefined ? of.redirects.filter(({ operator }) => operator.startsWith("<<")) : [];
  const evaluated = of.program === "deno" && verb(of, ["eval"]) ? operands(of).slice(1) : [];
  return [...values(of, letters, names), ...evaluated, ...documents.map(({ target }) => target.text)].join("\n");
});

export const isDynamic = ({ dynamic }: Word): boolean => dynamic !== "no";
/** One of the programs ran before it in its pipe, or inside of one of its words. */
export const fedBy = ({ feeders, inputs }: Invocation, programs: readonly string[]): boolean =>
  [...feeders, ...inputs].some(({ program }) => programs.includes(program));
