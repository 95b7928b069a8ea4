/** Judges a parsed file by its schema and words every finding for the person who wrote it, with the place it stands at. */
import type { z } from "zod";
import { canonicalEntry } from "./canonical-entry.ts";
import type { Document } from "./jsonc.ts";
import { isObject, keysAllowedAt } from "./known-keys.ts";
import { isLaterKey } from "./later-keys.ts";
import { type KeyPath, type Problem, showPath, UNKNOWN_KEY } from "./problems.ts";
import { MainFile, ServersFile } from "./schema.ts";
import { didYouMean } from "./suggest.ts";

type Issue = z.core.$ZodIssue;
type Verdict<T> = { readonly value: T; readonly warnings: Problem[] } | { readonly problems: Problem[]; readonly warnings: Problem[] };

/** The main configuration file. */
export const validateMain = (document: Document): Verdict<MainFile> => validate(MainFile, document);
/** A file that holds only `mcpServers`. */
export const validateServers = (document: Document): Verdict<z.output<typeof ServersFile>> => validate(ServersFile, document);

/** Any file that has keys of these. */
export function validate<S extends z.ZodType>(schema: S, document: Document): Verdict<z.output<S>> {
  const { value, warnings } = withCanonicalEntries(document);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, warnings };
  return { problems: result.error.issues.flatMap((issue) => describe(issue, { schema, value, document }, [])), warnings };
}

function withCanonicalEntries(document: Document): { value: unknown; warnings: Problem[] } {
  const warnings: Problem[] = [];
  if (!isObject(document.value)) return { value: document.value, warnings };
  // An mcp.json of older spelling may say McpServers.
  const names = Object.keys(document.value).filter((name) => name.toLowerCase() === "mcpservers");
  const key = names.includes("mcpServers") ? "mcpServers" : names[0];
  const servers = key === undefined ? undefined : document.value[key];
  if (key === undefined || !isObject(servers)) return { value: document.value, warnings };
  const entries = Object.entries(servers).map(([name, raw]) => {
    const { entry, ignored } = canonicalEntry(raw);
    for (const property of ignored) {
      const path = ["mcpServers", name, property];
      const message = "is ignored: the program keeps ids and origins in its log, and every entry of a file is the operator's";
      warnings.push({ ...document.place(path), path: showPath(path), message });
    }
    return [name, entry] as const;
  });
  const { [key]: _, ...rest } = document.value;
  return { value: { ...rest, mcpServers: Object.fromEntries(entries) }, warnings };
}

interface Subject {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly document: Document;
}

function describe(issue: Issue, subject: Subject, parent: KeyPath): Problem[] {
  const { schema, value, document } = subject;
  const path: KeyPath = [...parent, ...issue.path.map((key) => (typeof key === "number" ? key : String(key)))];
  const problem = (message: string, hint?: string, where = path): Problem => ({
    ...document.place(where),
    path: showPath(where),
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => {
        const unknown = [...path, key];
        if (isLaterKey(unknown)) return problem("is not supported by this release yet", "remove it, or comment it out", unknown);
        const known = keysAllowedAt(schema, path);
        return problem(UNKNOWN_KEY, didYouMean(key, known) ?? listOf(known), unknown);
      });
    case "invalid_union":
      return closestBranch(issue.errors).flatMap((inner) => describe(inner, subject, path));
    case "invalid_key":
      return [problem(issue.issues[0]?.message ?? "cannot be used as a name")];
    case "invalid_type": {
      const found = at(value, path);
      if (found === undefined) return [problem("is required")];
      return [problem(`expected ${kindWord(issue.expected)}, found ${kindOf(found)}`)];
    }
    case "invalid_value": {
      const found = at(value, path);
      const words = issue.values.map(String);
      return [problem(`expected one of ${words.join(", ")}`, typeof found === "string" ? didYouMean(found, words) : undefined)];
    }
    case "too_small":
      return [problem(issue.origin === "number" || issue.origin === "int" ? `must be at least ${issue.minimum}` : "must not be empty")];
    case "too_big":
      return [problem(`must be at most ${issue.maximum}${issue.origin === "string" ? " characters long" : ""}`)];
    default:
      return [problem(issue.message.replace(/^Invalid string: /, ""))];
  }
}

/** Of the ways in which something failed to be either of two shapes, the one that got furthest. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const isWrongKind = (issues: readonly Issue[]) => issues.some((issue) => issue.code === "invalid_type" && issue.path.length === 0);
  return branches.find((issues) => !isWrongKind(issues)) ?? branches[0] ?? [];
}

const at = (value: unknown, path: KeyPath): unknown =>
  path.reduce<unknown>((inside, key) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, key) : undefined), value);

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return kindWord(typeof value);
}

function kindWord(kind: string): string {
  const words: Readonly<Record<string, string>> = {
    array: "a list",
    boolean: "true or false",
    int: "a whole number",
    number: "a number",
    object: "an object",
    record: "an object",
    string: "a text",
  };
  return words[kind] ?? kind;
}

const listOf = (keys: readonly string[]): string =>
  keys.length === 0 ? "there is nothing to set here yet" : `known here: ${keys.join(", ")}`;
