/** The guard `shell-command`: command lines in arguments must do nothing that a group of rules stands against. A tripwire: what contains a command is its sandbox. */
import { GROUP_NAMES, type Group } from "../../actors/shell/groups.ts";
import { type Finding, judgeArgv, judgeLine, type Off } from "../../actors/shell/judge.ts";
import { MAX_LENGTH } from "../../actors/shell/source.ts";
import { givenAs, isTexts, unknownOption } from "./guard-arguments.ts";

type Arguments = Readonly<Record<string, unknown>>;

export interface ShellCommand {
  readonly args: readonly string[];
  readonly requireArgs: boolean;
  readonly off: Off;
}

const isGroup = (name: string): name is Group => (GROUP_NAMES as readonly string[]).includes(name);

/** What is wrong with the options, if anything. A group that is not known is a mistake, never a group that is off. */
export function shellCommandOptions(options: Arguments): ShellCommand | { readonly fault: string } {
  const { args, requireArgs = false, groups = {} } = options;
  const fault = unknownOption(options, ["args", "requireArgs", "groups"]);
  if (fault !== undefined) return { fault };
  if (!isTexts(args)) return { fault: "args must be a list of parameter names" };
  if (typeof requireArgs !== "boolean") return { fault: "requireArgs must be true or false" };
  if (typeof groups !== "object" || groups === null || Array.isArray(groups))
    return { fault: "groups must name groups, each true or false" };
  const off = new Set<Group>();
  for (const [name, isOn] of Object.entries(groups)) {
    if (!isGroup(name)) return { fault: `the group "${name}" is not known; known: ${GROUP_NAMES.join(", ")}` };
    if (typeof isOn !== "boolean") return { fault: `groups.${name} must be true or false` };
    if (!isOn) off.add(name);
  }
  return { args, requireArgs, off };
}

/** Why the arguments are refused, in words that teach, and the group; undefined when they pass. Nothing of the command stands in the words. */
export function shellCommandFault({ args: names, requireArgs, off }: ShellCommand, args: Arguments) {
  let length = 0;
  for (const name of names) {
    const given = givenAs(args, name);
    if (given.length === 0 && requireArgs) return { reason: `"${name}" is required: the command that is to run. Retry with it.` };
    for (const [key, value] of given) {
      length += lengthOf(value);
      const [finding] = length > MAX_LENGTH ? [TOO_LONG] : (judge(value, off) ?? [NO_COMMAND]);
      if (finding) return { reason: `"${key}" ${wordsOf(finding)}`, about: finding.group };
    }
  }
  return undefined;
}

const NO_COMMAND: Finding = {
  group: "unreadable",
  seen: "it is neither a text nor a list of texts",
  instead: "Retry with a command line, or with a program and its arguments.",
};

/** All commands of a call together: a parameter can be written in many cases of its letters, and nothing else happens while they are read. */
const TOO_LONG: Finding = {
  group: "unreadable",
  seen: "the commands of this call are too long",
  instead: "Write them shorter and plainer, or in several steps.",
};
const lengthOf = (value: unknown): number =>
  typeof value === "string" ? value.length : Array.isArray(value) ? value.reduce((sum, word) => sum + lengthOf(word) + 1, -1) : 0;

/** Undefined for what is no command. */
function judge(value: unknown, off: Off): readonly Finding[] | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : judgeLine(value, off);
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string") ? judgeArgv(value, off) : undefined;
}

const wordsOf = ({ group, seen, instead }: Finding): string =>
  group === "unreadable"
    ? `cannot be judged: ${seen}. ${instead}`
    : `is refused (${group}): it has ${seen}. ${instead} Retry with another command.`;
