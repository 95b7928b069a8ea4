/** The guard `path-prefix`: paths in arguments must lie below allowed folders. Lexical: it judges what is written, not what is there. */
import { givenAs, isTexts, unknownOption } from "./guard-arguments.ts";

export interface PathPrefix {
  readonly args: readonly string[];
  readonly allowedPrefixes: readonly string[];
  readonly requireArgs: boolean;
}

/** Resolved, with `/` between its parts; undefined when it is not absolute, leads above the root or holds U+0000. */
export function normalisePath(written: string): string | undefined {
  const path = written.trim().replaceAll("\\", "/");
  if (!path.startsWith("/") || path.includes("\0")) return undefined;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return `/${parts.join("/")}`;
}

const isBelow = (path: string, prefix: string): boolean => prefix === "/" || path === prefix || path.startsWith(`${prefix}/`);

/** What is wrong with the options, if anything. */
export function pathPrefixOptions(options: Readonly<Record<string, unknown>>): PathPrefix | { readonly fault: string } {
  const { args, allowedPrefixes, requireArgs = false } = options;
  const fault = unknownOption(options, ["args", "allowedPrefixes", "requireArgs"]);
  if (fault !== undefined) return { fault };
  if (!isTexts(args)) return { fault: "args must be a list of parameter names" };
  if (!isTexts(allowedPrefixes)) return { fault: "allowedPrefixes must be a list of absolute paths" };
  const prefixes = allowedPrefixes.map(normalisePath);
  if (!prefixes.every((prefix) => prefix !== undefined)) return { fault: "allowedPrefixes must be absolute paths" };
  if (typeof requireArgs !== "boolean") return { fault: "requireArgs must be true or false" };
  return { args, allowedPrefixes: prefixes, requireArgs };
}

/** Why the arguments are refused, in words that teach; undefined when they pass. Every key that is the parameter in any case is looked at. */
export function pathPrefixFault({ args: names, allowedPrefixes, requireArgs }: PathPrefix, args: Readonly<Record<string, unknown>>) {
  const allowed = allowedPrefixes.join(", ");
  for (const name of names) {
    const given = givenAs(args, name);
    if (given.length === 0 && requireArgs) return `"${name}" is required: a path below ${allowed}. Retry with it.`;
    for (const [key, value] of given) {
      const path = typeof value === "string" && value.trim() !== "" ? normalisePath(value) : undefined;
      if (path === undefined) return `"${key}" must be an absolute path below ${allowed}. Retry with such a path.`;
      if (!allowedPrefixes.some((prefix) => isBelow(path, prefix)))
        return `"${key}" must lie below ${allowed}. Retry with a path below one of them.`;
    }
  }
  return undefined;
}
