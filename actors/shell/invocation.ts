/** Every program that a command line would start, wherever in it that stands, with what the rules look at around it. */
import { type Options, readOptions } from "./options.ts";
import { parseLine } from "./parse.ts";
import { programOf, specOf } from "./programs.ts";
import { deeper, type Source, spend, Unreadable } from "./source.ts";
import type { Assignment, Group, Pipeline, Redirect, Simple, Substitution, Word } from "./syntax.ts";
import { startedBy } from "./wrappers.ts";

/** Programs that start each other in one command. */
export const MAX_WRAPPERS = 8;

export interface Invocation {
  /** Its name without a path, in lower case; empty where there are assignments or redirections only. */
  readonly program: string;
  /** The word that names it. */
  readonly name: Word | undefined;
  readonly args: readonly Word[];
  readonly options: Options;
  readonly assignments: readonly Assignment[];
  /** Its own, and those of the groups around it. */
  readonly redirects: readonly Redirect[];
  /** Programs whose output it may read through a pipe. */
  readonly feeders: readonly Invocation[];
  /** Programs that run in the substitutions of its words. */
  readonly inputs: readonly Invocation[];
  /** Programs that start it: `sudo`, `xargs` … */
  readonly via: readonly string[];
  /** Texts that it has a shell read. */
  readonly scripts: readonly Word[];
  /** Functions whose body it stands in. */
  readonly functions: readonly string[];
  /** It runs beside others: in a pipe, in the background. */
  readonly isBeside: boolean;
  readonly isTest: boolean;
}

type Around = Pick<Invocation, "redirects" | "feeders" | "via" | "functions" | "isBeside" | "inputs">;
const NOTHING: Around = { redirects: [], feeders: [], via: [], functions: [], isBeside: false, inputs: [] };

/** Carries the bounds through everything that is read for one line. */
type Within = Pick<Source, "budget" | "depth">;
const begin = (): Within => ({ budget: { commands: 0, words: 0 }, depth: 0 });
/** The rest of a simple command. */
type Beside = Pick<Simple, "assignments" | "isTest">;

/** In the order in which they are written, those of substitutions before what they stand in. @throws Unreadable */
export function invocationsOf(text: string): readonly Invocation[] {
  const within = begin();
  return ofPipelines(parseLine(text, within), NOTHING, within);
}

/** Of a program and its arguments that no shell reads. @throws Unreadable */
export function invocationsOfArgv(words: readonly Word[]): readonly Invocation[] {
  const within = begin();
  return ofArgv(words, { assignments: [], isTest: false }, NOTHING, within);
}

function ofPipelines(pipelines: readonly Pipeline[], around: Around, within: Within): readonly Invocation[] {
  return pipelines.flatMap(({ stages, isBackground }) => {
    const found: Invocation[] = [];
    const isBeside = around.isBeside || isBackground || stages.length > 1;
    for (const stage of stages) found.push(...ofStage(stage, { ...around, isBeside, feeders: [...around.feeders, ...found] }, within));
    return found;
  });
}

function ofStage(stage: Simple | Group, around: Around, within: Within): readonly Invocation[] {
  return stage.kind === "simple" ? ofSimple(stage, around, within) : ofGroup(stage, around, within);
}

function ofGroup({ body, redirects, name }: Group, around: Around, within: Within): readonly Invocation[] {
  const { read, into } = substitutionsOf(redirects.map(({ target }) => target));
  const inputs = ofBodies(read, around, [], within);
  const inner: Around = {
    ...around,
    redirects: [...around.redirects, ...redirects],
    inputs: [...around.inputs, ...inputs],
    functions: name === undefined ? around.functions : [...around.functions, name],
  };
  const found = ofPipelines(body, inner, within);
  return [...inputs, ...found, ...ofBodies(into, around, found, within)];
}

function ofSimple(simple: Simple, around: Around, within: Within): readonly Invocation[] {
  const values = [...simple.assignments.map(({ value }) => value), ...simple.redirects.map(({ target }) => target)];
  const { read, into } = substitutionsOf([...simple.words, ...values]);
  const inputs = ofBodies(read, around, [], within);
  const at = { ...around, redirects: [...around.redirects, ...simple.redirects], inputs: [...around.inputs, ...inputs] };
  const found = ofArgv(simple.words, simple, at, within);
  return [...inputs, ...found, ...ofBodies(into, around, [...around.feeders, ...found], within)];
}

function substitutionsOf(words: readonly Word[]) {
  const all = words.flatMap(({ substitutions }) => substitutions);
  return { read: all.filter(({ kind }) => kind !== "into"), into: all.filter(({ kind }) => kind === "into") };
}

const ofBodies = (substitutions: readonly Substitution[], around: Around, feeders: readonly Invocation[], within: Within) =>
  substitutions.flatMap(({ body }) => ofPipelines(body, { ...NOTHING, functions: around.functions, feeders }, within));

/** The program, and everything that it starts. */
function ofArgv(words: readonly Word[], { assignments, isTest }: Beside, around: Around, within: Within): readonly Invocation[] {
  spend(within, words.length);
  const [name, ...args] = words;
  const program = name ? programOf(name.text) : "";
  if (around.via.length > MAX_WRAPPERS) throw new Unreadable("too many programs start each other in it");
  const started = startedBy(program, args);
  const scripts = started.flatMap((one) => (one.kind === "script" ? [one.word] : []));
  const options = readOptions(args, specOf(program));
  const self: Invocation = { ...around, program, name, args, options, assignments, scripts, isTest };
  const inner: Around = { ...around, via: [...around.via, program] };
  const found = started.map((one) =>
    one.kind === "script" ? ofScript(one.word, inner, within) : ofArgv(one.words, { assignments: one.assignments, isTest }, inner, within),
  );
  return [self, ...found.flat()];
}

/** Read again as the inner shell will read it. */
const ofScript = ({ text }: Word, around: Around, within: Within): readonly Invocation[] =>
  deeper(within, () => ofPipelines(parseLine(text, within), around, within));
