/** Finds servers that are fetched from a package registry in whatever version is newest: what was looked at is not what runs tomorrow. */
import { basename } from "node:path";

/** Programs that fetch and run a package, with the words that make them do so. Those of npm do it unasked only with a flag. */
const RUNNERS = ["npx", "npm exec", "npm x", "bunx", "bun x", "pnpx", "pnpm dlx", "yarn dlx", "uvx", "uv tool run", "pipx run"];
const ASKS = /^(?:npx|npm (?:exec|x))$/;
const UNASKED = new Set(["-y", "--yes"]);
/** Flags without a value of their own; what follows any other may be its value. */
const PLAIN = new Set(["-y", "--yes", "-q", "--quiet", "--silent", "--bun", "--offline", "--isolated", "--no-cache", "--refresh"]);
const NAMING = /^(?:-p|--package|--from|--spec)(?:=(.*))?$/s;

const NAME = /^(?:@[\w.-]+\/)?[A-Za-z0-9][\w.-]*(?:\[[\w,-]+\])?(?:[@=<>~!][^/:]*)?$/;
const EXACT = /@v?\d+\.\d+\.\d+[\w.+-]*$|==\d[\w.+-]*$/;

/** The package that `command` fetches without an exact version, as written; undefined when there is none, or nobody can tell. */
export function unpinnedPackage(command: string, args: readonly string[]): string | undefined {
  const program = basename(command.replaceAll("\\", "/")).replace(/\.(?:cmd|exe)$/i, "");
  const words = [program, ...args];
  const runner = RUNNERS.find((known) => known === words.slice(0, known.split(" ").length).join(" "));
  if (runner === undefined) return undefined;
  const name = packageIn(words.slice(runner.split(" ").length), ASKS.test(runner));
  return name !== undefined && NAME.test(name) && !EXACT.test(name) ? name : undefined;
}

function packageIn(args: readonly string[], asks: boolean): string | undefined {
  let unasked = !asks;
  let named: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    const naming = NAMING.exec(arg);
    if (naming) named = naming[1] ?? args[++i];
    else if (UNASKED.has(arg)) unasked = true;
    else if (!arg.startsWith("-")) return unasked ? (named ?? arg) : undefined;
    else if (!PLAIN.has(arg) && !arg.includes("=")) return undefined;
  }
  return unasked ? named : undefined;
}
