/** Expressions over a call (CEL): compiled once, true, false, or not to be judged. */
import { Environment } from "@marcbachmann/cel-js";

export type Verdict = boolean | "failed";
export interface Expression {
  /** `variables` by name; whole numbers count as integers. */
  evaluate(variables: Readonly<Record<string, unknown>>): Verdict;
}

const environment = new Environment({ unlistedVariablesAreDyn: true });
const compiled = new Map<string, Expression | { readonly fault: string }>();
const MAX_COMPILED = 2_000;
const MAX_LENGTH = 2_000;

function compile(text: string): Expression | { readonly fault: string } {
  if (text.length > MAX_LENGTH) return { fault: `an expression has at most ${MAX_LENGTH} characters` };
  if (/\bmatches\s*\(/.test(text)) return { fault: "matches() is not available; use startsWith, endsWith, contains or ==" };
  try {
    const parsed = environment.parse(text);
    return {
      evaluate(variables) {
        try {
          const value: unknown = parsed(integers(variables) as Record<string, unknown>);
          return typeof value === "boolean" ? value : "failed";
        } catch {
          return "failed"; // a field that is not there, or of another kind
        }
      },
    };
  } catch (error) {
    return { fault: (error instanceof Error ? error.message : "it cannot be read").split("\n")[0] ?? "it cannot be read" };
  }
}

/** The expression, or what is wrong with it. */
export function expressionOf(text: string): Expression | { readonly fault: string } {
  const before = compiled.get(text);
  if (before) return before;
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  const made = compile(text);
  compiled.set(text, made);
  return made;
}

/** JSON knows one kind of number, expressions know two. */
function integers(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(integers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, integers(inner)]));
}
