/**
 * Judges a command line before somebody runs it: a tripwire for what agents should not do, no boundary. It knows the shells' grammar and no values;
 * what it cannot read, or could read in two ways, is refused.
 */
import { GROUP_NAMES, GROUPS, type Group } from "./groups.ts";
import { type Invocation, invocationsOf, invocationsOfArgv } from "./invocation.ts";
import type { Line, Rule } from "./rule.ts";
import { CODE } from "./rules-code.ts";
import { DESTRUCTIVE } from "./rules-destructive.ts";
import { ENVIRONMENT } from "./rules-environment.ts";
import { NETWORK } from "./rules-network.ts";
import { PACKAGES } from "./rules-packages.ts";
import { SYSTEM } from "./rules-system.ts";
import { MAX_LENGTH, Unreadable } from "./source.ts";
import { literal } from "./syntax.ts";
import { tracesOf } from "./traces.ts";

/** Why a command is not to run. */
export interface Finding {
  /** `unreadable`, which no setting turns off, for what could not be judged. */
  readonly group: Group | "unreadable";
  /** What was seen, in words of ours: nothing of the command stands in them. */
  readonly seen: string;
  /** What an agent can do instead. */
  readonly instead: string;
}

/** Groups that are switched off; all others are on. */
export type Off = ReadonlySet<Group>;

/** The one table of rules. */
export const RULES: readonly Rule[] = [...DESTRUCTIVE, ...NETWORK, ...CODE, ...SYSTEM, ...ENVIRONMENT, ...PACKAGES];

const GENERAL = RULES.filter(({ programs }) => programs === undefined);
const BY_PROGRAM = new Map<string, Rule[]>();
for (const rule of RULES) for (const program of rule.programs ?? []) BY_PROGRAM.set(program, [...(BY_PROGRAM.get(program) ?? []), rule]);

/** As a careless reader takes it: wide letters for plain ones, and without what shows nothing. For judging only. */
function plain(text: string): string {
  const plain = text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  if (plain.length > 2 * MAX_LENGTH) throw new Unreadable("it is too long");
  return plain;
}

/**
 * A text that a shell will read. Judged as it is written and as it looks: a wide quote closes nothing in a shell, but would hide what follows it from
 * a reader of the plain text alone. At most one finding for each group, in the order of the groups. Never throws; time grows with the length.
 */
export const judgeLine = (text: string, off: Off = new Set()): readonly Finding[] =>
  judged([text], () => [text, plain(text)].filter(unlike).map(invocationsOf), off);

/** A program and its arguments that are started without a shell. */
export const judgeArgv = (argv: readonly string[], off: Off = new Set()): readonly Finding[] =>
  judged(argv, () => [argv, argv.map(plain)].map((words) => invocationsOfArgv(words.map(literal))), off);

const unlike = (text: string, at: number, all: readonly string[]): boolean => all.indexOf(text) === at;

function judged(texts: readonly string[], read: () => readonly (readonly Invocation[])[], off: Off): readonly Finding[] {
  if (texts.reduce((sum, { length }) => sum + length + 1, 0) > MAX_LENGTH + 1) return [unreadable("it is too long")];
  if (texts.some((text) => text.includes("\0"))) return [unreadable("it holds a NUL character")];
  try {
    const found = read().flatMap((invocations) => findingsIn(invocations, off));
    return GROUP_NAMES.flatMap((group) => found.filter((finding) => finding.group === group).slice(0, 1));
  } catch (error) {
    return [unreadable(error instanceof Unreadable ? error.message : "it cannot be read")];
  }
}

const unreadable = (seen: string): Finding => ({
  group: "unreadable",
  seen,
  instead: "Write it shorter and plainer, or in several steps.",
});

function findingsIn(invocations: readonly Invocation[], off: Off): readonly Finding[] {
  const line = tracesOf(invocations);
  return invocations.flatMap((of) =>
    rulesFor(of)
      .filter((rule) => !off.has(rule.group) && holds(rule, of, line))
      .map(({ group, seen }) => ({ group, seen, instead: GROUPS[group] })),
  );
}

const rulesFor = ({ program }: Invocation): readonly Rule[] => [...GENERAL, ...(BY_PROGRAM.get(program) ?? [])];
const holds = ({ when }: Rule, of: Invocation, line: Line): boolean => when?.(of, line) ?? true;
