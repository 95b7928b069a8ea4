/** Programs that start another: `env`, `timeout 5`, `xargs`, `sh -c '…'`, `find -exec`. What they start is judged like everything else. */
import { has, type Options, readOptions, type Spec, valuesOf } from "./options.ts";
import { SHELL_OPTIONS, SHELLS, specOf, withoutPlus } from "./programs.ts";
import type { Assignment, Word } from "./syntax.ts";

/** `script`: a text that a shell reads; `argv`: a program with its arguments. */
export type Started =
  | { readonly kind: "script"; readonly word: Word }
  | { readonly kind: "argv"; readonly words: readonly Word[]; readonly assignments: readonly Assignment[] };

interface Wrapper extends Spec {
  /** Words between the options and the program. */
  readonly skip?: number;
  /** Options whose value a shell reads. */
  readonly scripts?: readonly [letters: string, names: readonly string[]];
  /** Everything behind the options is one text for a shell. */
  readonly joins?: boolean;
  /** Letters of options with which it looks something up and starts nothing. */
  readonly asks?: string;
  /** What its words in front of the program set, instead of being it. */
  readonly assigns?: RegExp;
}
const PLAIN: Wrapper = {};
/** It starts nothing but what its options say. */
const NOTHING = Number.POSITIVE_INFINITY;

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { ...specOf("env"), scripts: ["S", ["split-string"]], assigns: /^[^=]+=/ },
  nice: { short: "n", long: ["adjustment"] },
  ionice: { short: "cnpP", long: ["class", "classdata"] },
  chrt: { short: "TPDp", skip: 1 },
  taskset: { skip: 1 },
  nohup: PLAIN,
  setsid: PLAIN,
  stdbuf: { short: "ioe", long: ["input", "output", "error"] },
  unbuffer: PLAIN,
  timeout: { short: "ks", long: ["kill-after", "signal"], skip: 1 },
  gtimeout: { short: "ks", long: ["kill-after", "signal"], skip: 1 },
  time: { short: "fo", long: ["format", "output"] },
  command: { asks: "vV" },
  builtin: PLAIN,
  exec: { short: "a" },
  busybox: PLAIN,
  toybox: PLAIN,
  xargs: { short: "EILPadns", long: ["arg-file", "delimiter", "max-args", "max-procs", "max-lines", "max-chars"] },
  parallel: { short: "jaNLnSI", long: ["jobs", "arg-file", "delay", "timeout", "joblog", "results"], joins: true },
  watch: { short: "n", long: ["interval"], joins: true },
  sudo: {
    short: "CDghpRrTtUu",
    long: ["user", "group", "host", "prompt", "chdir", "chroot", "role", "type", "close-from"],
    assigns: /^[^=/][^=]*=/,
  },
  doas: { short: "aCu" },
  pkexec: { long: ["user"] },
  "su-exec": { skip: 1 },
  gosu: { skip: 1 },
  setpriv: { long: ["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set"] },
  chroot: { long: ["userspec", "groups"], skip: 1 },
  unshare: { short: "RwSG", long: ["root", "wd", "setuid", "setgid"] },
  nsenter: { short: "tSG", long: ["target", "setuid", "setgid"] },
  su: { short: "cgGsTw", long: ["command", "group", "shell"], skip: NOTHING, scripts: ["c", ["command"]] },
  runuser: { short: "cgGsu", long: ["command", "group", "shell", "user"], scripts: ["c", ["command"]] },
  script: { short: "cOITBEmo", long: ["command"], skip: NOTHING, scripts: ["c", ["command"]] },
  flock: { short: "cwE", long: ["command", "timeout"], skip: 1, scripts: ["c", ["command"]] },
  strace: { short: "abeEIoOpPsSuUX" },
  ltrace: { short: "aAeFlnopsuwx" },
  fakeroot: { short: "ils" },
  proot: { short: "rbwqm" },
  firejail: PLAIN,
  torsocks: PLAIN,
  proxychains: { short: "f" },
  proxychains4: { short: "f" },
  rlwrap: PLAIN,
  caffeinate: { short: "tw" },
  "systemd-run": { short: "pEMHGt", long: ["unit", "property", "setenv", "uid", "gid", "slice", "description"] },
  "systemd-inhibit": PLAIN,
  "dbus-run-session": PLAIN,
  screen: { short: "cepsSTtX" },
  eval: { joins: true },
  cmd: { joins: true },
  ssh: { short: "BbcDEeFIiJLlmOopQRSWw", skip: 1, joins: true },
  repeat: { skip: 1 },
};
/** Words of several shells in front of a command. */
const PASSED = "::: begin and or not noglob nocorrect always - { ( ! then do else if while until".split(" ");
const LOADER = /^ld(-linux[\w.-]*|-musl[\w.-]*|(64)?\.so[\w.]*)$/;

/** What this program starts: nothing, for most. */
export function startedBy(program: string, args: readonly Word[]): readonly Started[] {
  if (SHELLS.includes(program)) return byShell(program, args);
  if (program === "git") return byGit(args);
  if (/^g?find$/.test(program)) return byFind(args);
  if (/^fd(find)?$/.test(program)) return argv(behind(args, /^(-x|-X|--exec|--exec-batch)$/));
  if (program === "alias") return args.flatMap((word) => script([{ ...word, text: word.text.replace(/^[^=]*=?/, "") }]));
  if (program === "trap") return script(readOptions(args, { stops: true }).operands.slice(0, 1));
  if (LOADER.test(program)) return argv(readOptions(args, { long: ["library-path", "preload", "argv0"], stops: true }).operands);
  if (PASSED.includes(program)) return argv(args);
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  return wrapper ? byWrapper(program, args, wrapper) : [];
}

function byWrapper(program: string, args: readonly Word[], wrapper: Wrapper): readonly Started[] {
  const switches = program === "cmd" ? args.findIndex(({ text }) => !/^\/\w/.test(text)) : 0;
  const options = readOptions(args.slice(Math.max(0, switches)), { ...wrapper, stops: true });
  if (has(options, wrapper.asks ?? "")) return [];
  const first = options.operands.findIndex(({ text }) => !wrapper.assigns?.test(text));
  const words = first < 0 ? [] : options.operands.slice(first);
  const assignments = options.operands.slice(0, options.operands.length - words.length).flatMap(assignmentOf);
  const [letters, names] = wrapper.scripts ?? ["", []];
  const scripts = [...valuesOf(options, letters, names), ...(wrapper.scripts ? behind(words, /^(-c|--command)$/).slice(0, 1) : [])];
  const inner = words.slice(wrapper.skip ?? 0);
  const started = wrapper.joins ? script(inner) : argv(program === "xargs" ? filledIn(options, inner) : inner, assignments);
  return [...scripts.flatMap((word) => script([word])), ...started];
}

const assignmentOf = (word: Word): Assignment[] => {
  const [name = "", ...value] = word.text.split("=");
  return [{ name, value: { ...word, text: value.join("=") } }];
};

/** What `xargs -I` puts its input in the place of. */
function filledIn(options: Options, words: readonly Word[]): readonly Word[] {
  const place = valuesOf(options, "I", ["replace"]).at(-1)?.text ?? "";
  return place === "" ? words : words.map((word) => (word.text.includes(place) ? { ...word, dynamic: "value" } : word));
}

const argv = (words: readonly Word[], assignments: readonly Assignment[] = []): readonly Started[] =>
  words.length + assignments.length > 0 ? [{ kind: "argv", words, assignments }] : [];

/** The words as one text. */
function script(words: readonly Word[]): readonly Started[] {
  const [first] = words;
  if (!first) return [];
  const dynamic = words.some((word) => word.dynamic === "output")
    ? "output"
    : words.some((word) => word.dynamic === "value")
      ? "value"
      : "no";
  return [{ kind: "script", word: { ...first, dynamic, text: words.map(({ text }) => text).join(" ") } }];
}

function behind(words: readonly Word[], name: RegExp): readonly Word[] {
  const at = words.findIndex(({ text }) => name.test(text));
  return at < 0 ? [] : words.slice(at + 1);
}

function byShell(program: string, args: readonly Word[]): readonly Started[] {
  if (/^(pwsh|powershell)$/.test(program)) return script(behind(args, /^[-/]c(o(m(m(a(n(d)?)?)?)?)?)?$/i));
  const { given, operands } = readOptions(withoutPlus(args), SHELL_OPTIONS);
  if (!given.some(({ name }) => name === "-c" || name === "--command")) return [];
  const [named] = given.filter(({ name, value }) => name === "--command" && value);
  return script(named?.value ? [named.value] : operands.slice(0, 1));
}
function byFind(args: readonly Word[]): readonly Started[] {
  const started: Started[] = [];
  for (let at = 0; at < args.length; at += 1) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at]?.text ?? "")) continue;
    const from = at + 1;
    while (at + 1 < args.length && !/^[;+]$/.test(args[at + 1]?.text ?? "")) at += 1;
    started.push(...argv(args.slice(from, at + 1)));
  }
  return started;
}

function byGit(args: readonly Word[]): readonly Started[] {
  const options = readOptions(args, specOf("git"));
  const [verb, ...rest] = options.operands;
  const aliases = valuesOf(options, "c", ["config-env"]).flatMap((word) => {
    const command = /^alias\.[^=]*=!([\s\S]*)/i.exec(word.text)?.[1];
    return command === undefined ? [] : script([{ ...word, text: command }]);
  });
  if (verb?.text === "rebase")
    return [...aliases, ...valuesOf(readOptions(rest, { short: "x", long: ["exec"] }), "x", ["exec"]).flatMap((one) => script([one]))];
  if (verb?.text === "bisect") return [...aliases, ...argv(behind(rest, /^run$/))];
  if (verb?.text === "submodule") return [...aliases, ...script(behind(rest, /^foreach$/).filter(({ text }) => text !== "--recursive"))];
  if (verb?.text === "filter-branch") return [...aliases, ...script(behind(rest, /^--[a-z]+-filter$/).slice(0, 1))];
  return aliases;
}
