/** The options of a program's arguments, as most programs read them: clusters of letters, long names that may be cut short, `--`. */
import { literal, type Word } from "./syntax.ts";

/** What a program's options take. What is not named here takes nothing. */
export interface Spec {
  /** Letters whose value is the rest of the cluster, or the next word. */
  readonly short?: string;
  /** Names whose value is the next word where no `=` stands. */
  readonly long?: readonly string[];
  /** The first word that is no option ends them, as of programs that start others. */
  readonly stops?: boolean;
}

export interface Option {
  /** `-r`, `--recursive` */
  readonly name: string;
  readonly value?: Word;
}
export interface Options {
  readonly given: readonly Option[];
  readonly operands: readonly Word[];
  /** The first operand stands behind an option that may have taken it for its value. */
  readonly isUnsure: boolean;
}

export function readOptions(args: readonly Word[], { short = "", long = [], stops = false }: Spec): Options {
  const given: Option[] = [];
  const operands: Word[] = [];
  let isUnsure = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? literal("");
    const { text } = word;
    if (text === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (text.startsWith("--")) {
      const [name = "", ...value] = text.slice(2).split("=");
      const takes = value.length === 0 && long.some((one) => one.startsWith(name));
      if (takes) at += 1;
      given.push(optionOf(`--${name}`, value.length > 0 ? { ...word, text: value.join("=") } : takes ? args[at] : undefined));
    } else if (text.startsWith("-") && text.length > 1) {
      const { letters, value } = cluster(text.slice(1), short);
      if (value === "") at += 1;
      for (const [index, letter] of [...letters].entries()) {
        const isLast = index === letters.length - 1;
        given.push(optionOf(`-${letter}`, !isLast || value === undefined ? undefined : value === "" ? args[at] : { ...word, text: value }));
      }
    } else {
      if (operands.length === 0) isUnsure = given.length > 0 && at > 0 && (args[at - 1]?.text ?? "").startsWith("-");
      if (stops) {
        operands.push(...args.slice(at));
        break;
      }
      operands.push(word);
    }
  }
  return { given, operands, isUnsure };
}

const optionOf = (name: string, value: Word | undefined): Option => (value ? { name, value } : { name });

/** Up to the first letter that takes a value; `value` is empty when it is the next word. */
function cluster(text: string, short: string): { letters: string; value?: string } {
  for (let at = 0; at < text.length; at += 1)
    if (short.includes(text[at] ?? "")) return { letters: text.slice(0, at + 1), value: text.slice(at + 1) };
  return { letters: text };
}

const isNamed = (name: string, letters: string, names: readonly string[]): boolean =>
  name.startsWith("--") ? name.length > 2 && names.some((one) => one.startsWith(name.slice(2))) : letters.includes(name.slice(1));

/** One of the letters, or one of the names, also cut short, is given. */
export const has = ({ given }: Options, letters: string, names: readonly string[] = []): boolean =>
  given.some(({ name }) => isNamed(name, letters, names));

/** What these options are given. */
export const valuesOf = ({ given }: Options, letters: string, names: readonly string[] = []): readonly Word[] =>
  given.flatMap(({ name, value }) => (value && isNamed(name, letters, names) ? [value] : []));
