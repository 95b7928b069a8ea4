/** Files that a line makes before it runs them. */
import { lastPart, values } from "./asking.ts";
import type { Invocation } from "./invocation.ts";
import { DECODERS, DOWNLOADERS } from "./programs.ts";
import type { Line } from "./rule.ts";

type Origin = "download" | "decoding";
const COPIES = /^g?(cp|mv|ln|install)$/;
/** Of openssl, whose options are words behind one dash or two. */
const OUT = /^--?out$/;

/** Over the commands in their order; files are told apart by their last name, since folders may be changed in between. */
export function tracesOf(invocations: readonly Invocation[]): Line {
  const made = new Map<string, Origin>();
  for (const of of invocations) {
    const files = filesOf(of);
    const origin = files.length > 0 ? originOf(of, made) : undefined;
    if (origin) for (const file of files) made.set(lastPart(file), origin);
  }
  return { madeBy: (file) => made.get(lastPart(file)) };
}

function originOf(of: Invocation, made: ReadonlyMap<string, Origin>): Origin | undefined {
  const from = [of, ...of.feeders].map(({ program }) => program);
  if (from.some((program) => DOWNLOADERS.includes(program))) return "download";
  if (from.some((program) => DECODERS.includes(program) && program !== "printf" && program !== "tr")) return "decoding";
  return COPIES.test(of.program) ? made.get(lastPart(of.options.operands[0]?.text ?? "")) : undefined;
}

function filesOf(of: Invocation): readonly string[] {
  const redirected = of.redirects.filter(({ operator }) => /^(&?>|<>)/.test(operator)).map(({ target }) => target.text);
  const operands = of.options.operands.map(({ text }) => text);
  const addresses = operands.map((text) => text.replace(/[?#].*$/s, ""));
  if (of.program === "curl") return [...redirected, ...values(of, "o", ["output"]), ...addresses];
  if (DOWNLOADERS.includes(of.program)) return [...redirected, ...values(of, "Oo", ["output-document", "output"]), ...addresses];
  if (of.program === "tee" || of.program === "sponge") return [...redirected, ...operands];
  if (of.program === "openssl")
    return [...redirected, ...of.args.filter((_, at) => OUT.test(of.args[at - 1]?.text ?? "")).map(({ text }) => text)];
  return COPIES.test(of.program) ? [...redirected, ...operands.slice(-1)] : redirected;
}
