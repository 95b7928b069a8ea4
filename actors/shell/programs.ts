/** Programs by name: families that rules speak of, and which of their options take a value. */
import type { Spec } from "./options.ts";
import type { Word } from "./syntax.ts";

export const SHELLS = "sh bash rbash dash ash zsh ksh ksh93 mksh lksh yash fish csh tcsh pwsh powershell".split(" ");
/** They run a program text of another language. */
export const INTERPRETERS = "python perl ruby node nodejs bun deno php lua luajit tclsh expect osascript rscript".split(" ");
export const AWKS = "awk gawk mawk nawk".split(" ");
export const DOWNLOADERS = "curl wget wget2 fetch aria2c axel http https httpie xh lynx w3m links".split(" ");
/** They turn a text that cannot be read into one that can. */
export const DECODERS = "base64 base32 gbase64 basenc xxd uudecode openssl printf rev tr gpg".split(" ");
/** Their arguments are only printed. */
export const PRINTERS = ["echo", "printf"];

/** Of shells: `-c` takes no value, its text is the first word that is no option. */
export const SHELL_OPTIONS: Spec = { short: "oO", long: ["rcfile", "init-file"], stops: true };
/** Without what turns an option off: `+e`. */
export const withoutPlus = (args: readonly Word[]): readonly Word[] => args.filter(({ text }) => !/^\+[a-z]+$/i.test(text));

const SSH: Spec = { short: "BbcDEeFIiJLlmOopQRSWw" };
const CURL_LONG =
  "data data-raw data-binary data-ascii data-urlencode json form form-string upload-file request url user output output-dir header user-agent referer " +
  "cookie cookie-jar proxy config connect-to resolve unix-socket abstract-unix-socket interface max-time connect-timeout retry retry-delay range cacert cert key dump-header write-out";

const SPECS: Readonly<Record<string, Spec>> = {
  curl: { short: "AbcCdDeEFhHKmoPQrtTuUwxXyYz", long: CURL_LONG.split(" ") },
  wget: {
    short: "aABDeiIlQoOPRtTUwX",
    long: "post-data post-file method body-data body-file output-document output-file header user-agent directory-prefix tries timeout user password".split(
      " ",
    ),
  },
  git: { short: "cC", long: ["git-dir", "work-tree", "namespace", "exec-path", "config-env"], stops: true },
  env: { short: "uCS", long: ["unset", "chdir", "split-string"], stops: true },
  ssh: { ...SSH, stops: true },
  autossh: { ...SSH, stops: true },
  scp: { short: "cDFiJloPSX" },
  sftp: { short: "BbcDFiJloPRSsX" },
  sed: { short: "efl", long: ["expression", "file", "line-length"] },
  sort: { short: "koStT", long: ["key", "output", "buffer-size", "field-separator", "temporary-directory", "compress-program"] },
  kill: { short: "snq", long: ["signal"] },
  chmod: { long: ["reference"] },
  python: { short: "cmWX", stops: true },
  perl: { short: "eEIM", stops: true },
  ruby: { short: "eIr", stops: true },
  node: { short: "epr", long: ["eval", "print", "require", "import", "loader", "experimental-loader"], stops: true },
  nodejs: { short: "epr", long: ["eval", "print", "require"], stops: true },
  bun: { short: "epr", long: ["eval", "print", "preload", "cwd"], stops: true },
  deno: { short: "c", long: ["config"] },
  php: { short: "rBREFdfc", stops: true },
  lua: { short: "el", stops: true },
  luajit: { short: "el", stops: true },
  osascript: { short: "els" },
  rscript: { short: "e" },
  expect: { short: "c" },
  awk: { short: "Fvf", long: ["file", "assign", "field-separator"] },
  npm: { short: "Cw", long: ["prefix", "workspace", "registry", "loglevel", "cache"] },
  pnpm: { short: "Cw", long: ["dir", "filter"] },
  yarn: { long: ["cwd"] },
  pip: { long: ["proxy", "log", "cache-dir", "timeout", "cert", "python"] },
  apt: { short: "coat", long: ["option", "config-file", "target-release"] },
  dnf: { short: "cdeRx", long: ["installroot", "enablerepo", "disablerepo"] },
  cargo: { short: "CZ", long: ["manifest-path", "color", "config"] },
  go: { short: "C" },
  docker: { short: "cHl", long: ["context", "host", "config", "log-level"], stops: true },
  tee: {},
  cp: { short: "tS", long: ["target-directory", "suffix"] },
  mv: { short: "tS", long: ["target-directory", "suffix"] },
  ln: { short: "tS", long: ["target-directory", "suffix"] },
  install: { short: "gmotS", long: ["group", "mode", "owner", "target-directory", "suffix"] },
  tar: { short: "CfIFTXbgHKLNV", long: ["file", "directory", "checkpoint-action", "use-compress-program", "to-command"] },
  rsync: { short: "efBMT@", long: ["rsh", "rsync-path", "exclude", "include"] },
};
const LIKE: Readonly<Record<string, string>> = {
  genv: "env",
  wget2: "wget",
  gsed: "sed",
  gtar: "tar",
  bsdtar: "tar",
  gcp: "cp",
  gmv: "mv",
  gln: "ln",
  ginstall: "install",
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  "apt-get": "apt",
  aptitude: "apt",
  yum: "dnf",
  podman: "docker",
  nerdctl: "docker",
};

/** Of programs that are not named here no option takes a value. */
export function specOf(program: string): Spec {
  if (SHELLS.includes(program)) return SHELL_OPTIONS;
  const name = Object.hasOwn(LIKE, program) ? (LIKE[program] ?? program) : program;
  return (Object.hasOwn(SPECS, name) ? SPECS[name] : undefined) ?? {};
}

/** `/usr/bin/Python3.12` → `python`: the last part of the path in lower case, without an ending of Windows, without a version. */
export function programOf(path: string): string {
  const name = path.trim().replace(/^=/, "").split(/[/\\]/).at(-1) ?? "";
  const plain = name.toLowerCase().replace(/\.(exe|cmd|bat|com)$/, "");
  return (
    /^(python|pypy|perl|ruby|node|nodejs|php|lua|luajit|pip|tclsh|bash|zsh|ksh)[-\d.]+$/.exec(plain)?.[1]?.replace("pypy", "python") ??
    plain
  );
}
