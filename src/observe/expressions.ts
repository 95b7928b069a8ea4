/** Expressions over a call (CEL): compiled once, true, false, or not to be judged. */
import type { Environment } from "@marcbachmann/cel-js";

export type Verdict = boolean | "failed";
/** Whether a text stands in place of another one, which is not known. */
export type Hides = (text: string) => boolean;
export interface Expression {
  /** `variables` by name; whole numbers count as integers. The same object is read once: it must not change any more. */
  evaluate(variables: Readonly<Record<string, unknown>>): Verdict;
  /** `hidden` where the verdict depends on a text that is hidden. */
  evaluateAround(variables: Readonly<Record<string, unknown>>, hides: Hides): Verdict | "hidden";
}

let made: Environment | undefined;
/** Loaded where there is an expression: most installations have none, and it takes its time. */
function environment(): Environment {
  made ??= new (require("@marcbachmann/cel-js") as typeof import("@marcbachmann/cel-js")).Environment({ unlistedVariablesAreDyn: true });
  return made;
}
const compiled = new Map<string, Expression | { readonly fault: string }>();
const MAX_COMPILED = 2_000;
const MAX_LENGTH = 2_000;

function compile(text: string): Expression | { readonly fault: string } {
  if (text.length > MAX_LENGTH) return { fault: `an expression has at most ${MAX_LENGTH} characters` };
  if (/\bmatches\s*\(/.test(text)) return { fault: "matches() is not available; use startsWith, endsWith, contains or ==" };
  try {
    const parsed = environment().parse(text);
    const evaluate = (variables: unknown): Verdict => {
      try {
        const value: unknown = parsed(variables as Record<string, unknown>);
        return typeof value === "boolean" ? value : "failed";
      } catch {
        return "failed"; // a field that is not there, or of another kind
      }
    };
    return {
      evaluate: (variables) => evaluate(convertedOnce(variables)),
      evaluateAround(variables, hides) {
        let isTouched = false;
        const touch = (): never => {
          isTouched = true;
          throw new Error("hidden"); // as any other fault it does not count where the other side of an "or" is true
        };
        const verdict = evaluate(guarded(variables, hides, touch));
        return verdict === "failed" && isTouched ? "hidden" : verdict;
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

/** Many expressions look at the same call. */
const converted = new WeakMap<object, unknown>();
function convertedOnce(variables: object): unknown {
  const before = converted.get(variables);
  if (before !== undefined) return before;
  const made = integers(variables);
  converted.set(variables, made);
  return made;
}

/** JSON knows one kind of number, expressions know two. */
function integers(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(integers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, integers(inner)]));
}

/** The same, but what is hidden calls `touch` as soon as it is looked at; so does an object of which not every key is known. */
function guarded(value: unknown, hides: Hides, touch: () => never): unknown {
  if (typeof value !== "object" || value === null) return integers(value);
  const isHidden = (inner: unknown): boolean => {
    if (typeof inner === "string") return hides(inner);
    return typeof inner === "object" && inner !== null && !Array.isArray(inner) && Object.keys(inner).some(hides);
  };
  const made: object = Array.isArray(value) ? [] : {};
  for (const [key, inner] of Object.entries(value)) {
    const held = isHidden(inner) ? { get: touch } : { value: guarded(inner, hides, touch) };
    Object.defineProperty(made, key, { ...held, enumerable: true });
  }
  return made;
}
