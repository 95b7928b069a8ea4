/** Rules over code that is not written out: it is computed, hidden, or handed to a program that will run it. */
import {
  anyArg,
  fedBy,
  flag,
  inlineCode,
  isDynamic,
  isInterpreter,
  isShell,
  operands,
  programFile,
  runsItsInput,
  texts,
  values,
} from "./asking.ts";
import type { Invocation } from "./invocation.ts";
import { readOptions, valuesOf } from "./options.ts";
import { AWKS, DECODERS, INTERPRETERS, SHELLS, specOf } from "./programs.ts";
import { type Line, names, type Rule } from "./rule.ts";
import { runsPrograms } from "./sed.ts";

const SOURCES = ["source", "."];
const EVALUATING = /(^|[^.\w])(eval|exec|execfile|compile|instance_eval|loadstring|Function)\s*\(|\bnew Function\b|\b(eval|exec)\s*[$"'`]/;
const STARTING =
  /\bos\.(system|popen|exec[lv]\w*|spawn\w*|posix_spawn)\b|\bsubprocess\b|\bpopen\b|\bpty\b|\bproc_open\b|\b(shell_exec|passthru)\b|(^|[^.\w])system\s*[("'{ ]|\bKernel\.|\bOpen3\b|\bDeno\.(run|Command)\b|\bBun\.(spawn|spawnSync|\$)|\bos\.execute\b|\bio\.popen\b|\bchild_process\b|%x[{([]|\bdo shell script\b|(^|\W)qx\W/;
const GIT_RUNS =
  /^(core\.(sshcommand|pager|editor|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand)|diff\.external|diff\..*\.(command|textconv)|filter\..*|pager\..*|credential\.(.*\.)?helper|sequence\.editor|gpg\.(.*\.)?program|uploadpack\..*|remote\..*\.(uploadpack|receivepack|vcs)|protocol\.ext\.allow)=/i;

/** A shell, or what runs other languages, that takes its program from a pipe or from text in the line. */
function runsWhatIsPiped(of: Invocation): boolean {
  if (!runsItsInput(of)) return false;
  const isPiped = of.feeders.length > 0 || of.redirects.some(({ operator }) => operator === "<&");
  return isPiped || of.inputs.length > 0 || (isShell(of) && of.redirects.some(({ operator }) => operator.startsWith("<<")));
}

/** Its text for a shell is the value of a variable, or contains what a command prints. */
const runsUnknownText = (of: Invocation): boolean =>
  of.scripts.some(({ text, dynamic }) => dynamic === "output" || (dynamic === "value" && /^\s*"?\$/.test(text)) || /^\s*\{\}/.test(text));

function runsDecoded(of: Invocation, { madeBy }: Line): boolean {
  const isCode = isShell(of) || isInterpreter(of);
  const files = [of.name?.text, isCode ? programFile(of) : undefined, SOURCES.includes(of.program) ? operands(of)[0] : undefined];
  return files.some((file) => file !== undefined && madeBy(file) === "decoding") || (isCode && runsItsInput(of) && fedBy(of, DECODERS));
}

const namesNothingFixed = ({ name, isTest }: Invocation): boolean =>
  name !== undefined && !isTest && (isDynamic(name) || (name.isPattern && name.text !== "[") || name.text === "{}");

/** What stands in front of each `}`, from the one before on. */
const closedIn = (text: string): readonly string[] => text.split("}").slice(0, -1);
/** `${x@P}` runs what stands in a variable. */
const expandsAsPrompt = ({ args, name, assignments, redirects }: Invocation): boolean =>
  [...args, ...(name ? [name] : []), ...assignments.map(({ value }) => value), ...redirects.map(({ target }) => target)].some(
    ({ text, dynamic }) => dynamic !== "no" && closedIn(text).some((part) => part.endsWith("@P") && part.includes("${")),
  );

const injection = (rule: Omit<Rule, "group">): Rule => ({ group: "code_injection", ...rule });
const bypass = (rule: Omit<Rule, "group">): Rule => ({ group: "filter_bypass", ...rule });

function gitSettings(of: Invocation): readonly string[] {
  const [verb, ...rest] = operands(of);
  const clone =
    verb === "clone" ? valuesOf(readOptions(of.options.operands.slice(1), specOf("git")), "c", ["config"]).map(({ text }) => text) : [];
  const written = verb === "config" ? [rest.filter((text) => !text.startsWith("-")).join("=")] : [];
  return [...values(of, "c", ["config-env"]), ...clone, ...written];
}

export const CODE: readonly Rule[] = [
  injection({ programs: ["eval"], when: (of) => of.args.some(isDynamic), seen: "`eval` of what is not written out" }),
  injection({ when: runsUnknownText, seen: "a text for a shell that is not written out" }),
  injection({ when: runsWhatIsPiped, seen: "a shell or an interpreter that runs what it reads" }),
  injection({ when: runsDecoded, seen: "running what was decoded" }),
  injection({
    programs: SOURCES,
    when: (of) => of.args.slice(0, 1).some((word) => isDynamic(word) || /^\/dev\/|^-$/.test(word.text)),
    seen: "`source` of what is not a file of a fixed name",
  }),
  injection({
    programs: [...SHELLS, ...INTERPRETERS],
    when: (of) => of.args.some(({ substitutions }) => substitutions.some(({ kind }) => kind === "from")),
    seen: "running the output of a command",
  }),
  injection({
    programs: SHELLS,
    when: ({ via, scripts, options }) =>
      via.some((name) => /^(xargs|parallel)$/.test(name)) && scripts.length + options.operands.length === 0,
    seen: "a shell that runs what it reads",
  }),
  injection({ when: (of) => EVALUATING.test(inlineCode(of)) && !AWKS.includes(of.program), seen: "a program text that runs another text" }),

  bypass({ when: namesNothingFixed, seen: "a program whose name is not written out" }),
  bypass({ when: expandsAsPrompt, seen: "an expansion that runs what stands in a variable" }),
  bypass({
    when: (of) => STARTING.test(inlineCode(of)) || (AWKS.includes(of.program) && /\|\s*(getline|"|&)|\bsystem\s*\(/.test(inlineCode(of))),
    seen: "a program text that starts other programs",
  }),
  bypass({ programs: ["sed", "gsed"], when: (of) => sedTexts(of).some(runsPrograms), seen: "`sed` that runs what it edits" }),
  bypass({ programs: ["sort", "gsort"], when: (of) => flag(of, "", ["compress-program"]), seen: "`sort --compress-program`" }),
  bypass({
    programs: ["git"],
    when: (of) =>
      texts(of).some((text) => /^--(upload-p|receive-p|exec=|exec$|open-files-in-p|extcmd|ext-diff)|^-O/.test(text)) &&
      !anyArg(of, /^rebase$/),
    seen: "`git` with a program of its own choice",
  }),
  bypass({
    programs: ["git"],
    when: (of) => gitSettings(of).some((text) => GIT_RUNS.test(text)) || anyArg(of, /^ext::/),
    seen: "settings of `git` that run programs",
  }),
  bypass({ programs: ["rg"], when: (of) => anyArg(of, /^--(pre|hostname-bin)(=|$)/), seen: "`rg --pre`" }),
  bypass({
    programs: ["man"],
    when: (of) => anyArg(of, /^(--html|--browser|--pager|-[HP])/),
    seen: "`man` with a program of its own choice",
  }),
  bypass({ programs: ["history"], when: (of) => anyArg(of, /^-\w*[sawrcd]/), seen: "changing the history" }),
  bypass({
    programs: names("tar gtar bsdtar"),
    when: (of) =>
      values(of, "I", ["use-compress-program", "to-command"]).length > 0 ||
      values(of, "", ["checkpoint-action"]).some((text) => /exec/.test(text)) ||
      anyArg(of, /^--(rsh-command|info-script|new-volume-script)/),
    seen: "`tar` that runs programs",
  }),
  bypass({
    programs: names("ssh scp sftp rsync"),
    when: (of) =>
      anyArg(of, /(proxycommand|localcommand|knownhostscommand)/i) || (of.program === "rsync" && flag(of, "e", ["rsh", "rsync-path"])),
    seen: "options that run programs",
  }),
  bypass({
    programs: names("vi vim nvim view ex emacs"),
    when: (of) => texts(of).some((text) => /^(\+|:|-c)?:?!|\bsystem\(|--eval|^--?(batch|script)$/.test(text)),
    seen: "an editor that runs programs",
  }),
  bypass({ programs: ["zip"], when: (of) => anyArg(of, /^(-TT|--unzip-command)/), seen: "`zip` that runs programs" }),
  bypass({ programs: ["bash"], when: (of) => flag(of, "", ["rcfile", "init-file"]), seen: "a start file of its own choice" }),
  bypass({ programs: ["enable"], when: (of) => flag(of, "f"), seen: "loading a builtin from a file" }),
  bypass({ programs: ["hash"], when: (of) => flag(of, "p"), seen: "another program under a known name" }),
  bypass({ programs: ["bind", "mapfile", "readarray", "complete"], when: (of) => flag(of, "xC"), seen: "code in a builtin's option" }),
  bypass({
    programs: ["powershell", "pwsh"],
    when: (of) => anyArg(of, /^[-/]e(c|n\w*)?$/i),
    seen: "an encoded command",
  }),
];

const sedTexts = (of: Invocation): readonly string[] => {
  const given = values(of, "e", ["expression"]);
  return given.length > 0 ? given : operands(of).slice(0, 1);
};
