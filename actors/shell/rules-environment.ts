/** Rules over variables: those that make programs load or run other code, and what prints all of them. */
import { anyArg, flag, inlineCode, isInterpreter, named, operands, texts, verb, written } from "./asking.ts";
import type { Invocation } from "./invocation.ts";
import { AWKS } from "./programs.ts";
import { names, type Rule } from "./rule.ts";
import { assignmentIn } from "./simple.ts";
import type { Assignment } from "./syntax.ts";

const LOADING = new Set(
  names(
    "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT BASH_ENV PROMPT_COMMAND GIT_EXTERNAL_DIFF GIT_DIFF_OPTS GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND " +
      "GIT_EXEC_PATH GIT_ASKPASS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS SSH_ASKPASS PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP ZDOTDIR",
  ),
);
const DECLARING = names("export declare typeset local readonly setenv set");
const SYSTEM_FOLDER = /^\/(usr\/(local\/)?)?s?bin$/;

/** In front of a command, and as arguments of what sets variables. */
function assigned(of: Invocation): readonly Assignment[] {
  const byWords = DECLARING.includes(of.program) ? of.args.flatMap((word) => assignmentIn({ ...word, plain: word.text.length }) ?? []) : [];
  const [name, value] = of.program === "setenv" || (of.program === "set" && flag(of, "x")) ? of.options.operands : [];
  return [...of.assignments, ...byWords, ...(name && value ? [{ name: name.text, value }] : [])];
}

/** New folders may stand behind `$PATH`; in front of it, or in its place, they would take the place of the system's programs. */
function takesOverPath(value: string): boolean {
  const own = /^\$(PATH|\{PATH\})$/;
  const entries = value.split(":");
  const end = entries.findIndex((entry) => own.test(entry));
  const before = end < 0 ? entries : entries.slice(0, end);
  return before.some((entry) => !SYSTEM_FOLDER.test(entry)) || entries.some((entry) => !own.test(entry) && !/^[/$~]/.test(entry));
}

function injects({ name, value: { text } }: Assignment): boolean {
  if (LOADING.has(name) || /^(DYLD_|BASH_FUNC_|GIT_CONFIG_(KEY|VALUE)_|LD_PRELOAD_)/.test(name)) return true;
  if (name === "ENV") return /\.?(sh|rc|profile)$|[/$]/.test(text);
  if (name === "PATH") return takesOverPath(text);
  if (name === "NODE_OPTIONS" || name === "BUN_OPTIONS")
    return /(^|\s)(-r|--require|--import|--loader|--experimental-loader|--preload)/.test(text);
  if (name === "JAVA_TOOL_OPTIONS" || name === "_JAVA_OPTIONS") return /-(javaagent|agentlib|agentpath)/.test(text);
  return /^PS[0-4]$/.test(name) && /\$\(|`/.test(text);
}

const injection = (rule: Omit<Rule, "group">): Rule => ({ group: "env_injection", ...rule });
const dump = (rule: Omit<Rule, "group">): Rule => ({ group: "env_dump", ...rule });

/** `env` that starts nothing prints. */
const printsOnly = (of: Invocation): boolean =>
  of.options.operands.every(({ text }) => /^[^=]+=/.test(text)) && !flag(of, "S", ["split-string"]);

const ALL_VARIABLES =
  /\bos\.environb?\b(?!\.get|\[)|\bprocess\.env\b(?!\.|\[)|\bDeno\.env\.toObject|\bBun\.env\b(?!\.|\[)|\bgetenv\s*\(\s*\)|\$_ENV\b|\bENVIRON\b|%ENV\b|\bENV\.(to_h|to_a|each|inspect|map)|\bputs ENV\b|\bp ENV\b|\bimport\.meta\.env\b(?!\.|\[)/;

export const ENVIRONMENT: readonly Rule[] = [
  injection({ when: (of) => assigned(of).some(injects), seen: "a variable that makes programs run other code" }),
  injection({
    when: (of) => [...named(of), ...written(of)].some((path) => path === "/etc/ld.so.preload"),
    seen: "/etc/ld.so.preload",
  }),

  dump({ programs: ["env", "genv"], when: printsOnly, seen: "`env` without a command" }),
  dump({ programs: ["printenv"], seen: "`printenv`" }),
  dump({ programs: ["set"], when: ({ args }) => args.length === 0, seen: "`set` without arguments" }),
  dump({
    programs: names("export declare typeset readonly"),
    when: (of) => texts(of).every((text) => /^-[pxr]+$/.test(text)),
    seen: "printing all variables",
  }),
  dump({ programs: ["compgen"], when: (of) => flag(of, "ve"), seen: "printing the names of all variables" }),
  dump({ when: (of) => named(of).some((path) => /^\/proc\/[^/]+\/environ$/.test(path)), seen: "the environment of a process" }),
  dump({
    programs: names("jq gojq jaq yq"),
    when: (of) => anyArg(of, /\$ENV\b|(^|[^.\w"])env\b(?!\w)/),
    seen: "the environment in a filter",
  }),
  dump({
    when: (of) => (isInterpreter(of) || AWKS.includes(of.program)) && ALL_VARIABLES.test(inlineCode(of)),
    seen: "a program text that reads the environment",
  }),
  dump({
    programs: ["bun", "deno"],
    when: (of) => verb(of, ["env"]) || operands(of).slice(0, 2).join(" ") === "run env",
    seen: "printing the environment",
  }),
  dump({ programs: names("gci get-childitem dir ls gi"), when: (of) => anyArg(of, /^env:/i), seen: "printing the environment" }),
  dump({
    programs: ["ps"],
    when: (of) => /^[a-z]+$/.test(texts(of)[0] ?? "") && texts(of)[0]?.includes("e") === true,
    seen: "the environment of processes",
  }),
];
