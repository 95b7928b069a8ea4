/** Judges what a server says of itself before a model reads it: hidden orders, hidden characters, and names that are somebody else's. */
import { scanCharacters } from "./scan/characters.ts";
import { excerptOf, type Finding } from "./scan/finding.ts";
import { scanInstructions } from "./scan/instructions.ts";
import { type ScanContext, scanMentions, scanName } from "./scan/names.ts";
import { showInvisible } from "./visible-text.ts";

/** Longer texts are told of. */
const LONG_TEXT = 10_000;
/** Longer ones are judged up to here and are a grave finding: nobody explains a tool in so many words. */
const MAX_TEXT = 200_000;
/** Of all texts of a definition together. */
const MAX_TOTAL = 1_000_000;
const MAX_FINDINGS = 50;
/** Characters of a key in a path. */
const MAX_STEP = 80;

interface Place {
  readonly value: unknown;
  readonly where: string;
  /** It is the name of a tool or a parameter. */
  readonly isName?: boolean;
}

/** Every finding in a text of a server that is no definition: instructions, descriptions of prompts, errors. `where` names it. Linear. */
export function scanText(text: string, where: string, context?: ScanContext): readonly Finding[] {
  return textFindings(text, where, context, new Set());
}

/**
 * Every finding in a tool's definition, in its order, at most 50: names, titles, descriptions, parameters, enums, defaults and whatever
 * else is text in it. Linear in its size. `context` knows the other servers' tools.
 */
export function scanDefinition(definition: Readonly<Record<string, unknown>>, context: ScanContext): readonly Finding[] {
  const findings: Finding[] = [];
  const places = [...placesIn(definition)];
  const parameters = new Set(places.flatMap(({ value, isName }) => (isName ? [String(value).toLowerCase()] : [])));
  let total = 0;
  for (const { value, where, isName } of places) {
    if (findings.length >= MAX_FINDINGS) return findings.slice(0, MAX_FINDINGS);
    const text = String(value);
    total += isData(text) ? 0 : text.length;
    if (total > MAX_TOTAL)
      return [...findings, { kind: "oversize", severity: "high", where: "", excerpt: `more than ${MAX_TOTAL} characters` }];
    findings.push(...(isName ? nameFindings(text, where, context) : textFindings(text, where, context, parameters)));
  }
  return findings.slice(0, MAX_FINDINGS);
}

function textFindings(text: string, where: string, context: ScanContext | undefined, known: ReadonlySet<string>): readonly Finding[] {
  const judged = text.slice(0, MAX_TEXT);
  const isLong = text.length > LONG_TEXT && !isData(text);
  return [
    ...(isLong ? [oversize(text, where)] : []),
    ...scanCharacters(judged, where),
    ...scanInstructions(judged, where),
    ...(context ? scanMentions(judged, where, context, known) : []),
  ];
}

/** A name is no place for a sentence: what would only be doubtful in a description is an order here. */
function nameFindings(name: string, where: string, context: ScanContext): readonly Finding[] {
  const judged = name.slice(0, MAX_TEXT);
  const words = judged.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return [
    ...(name.length > LONG_TEXT ? [oversize(name, where)] : []),
    ...scanCharacters(judged, where),
    ...scanInstructions(words, where).map((finding) => ({ ...finding, severity: "high" as const, excerpt: excerptOf(judged, 0) })),
    ...scanName(judged, where, context),
  ];
}

const oversize = (text: string, where: string): Finding => ({
  kind: "oversize",
  severity: text.length > MAX_TEXT ? "high" : "low",
  where,
  excerpt: excerptOf(text, 0),
});

/** An icon, for one. */
const isData = (text: string): boolean => text.startsWith("data:");

const step = (key: string): string => `/${showInvisible(key.slice(0, MAX_STEP)).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Every key and every text, in order, without recursion: a definition may be deep. */
function* placesIn(definition: Readonly<Record<string, unknown>>): Iterable<Place> {
  const rest: (Place & { readonly named?: boolean })[] = [{ value: definition, where: "" }];
  for (let place = rest.pop(); place !== undefined; place = rest.pop()) {
    const { value, where, named } = place;
    if (typeof value === "string") yield { value, where, isName: place.isName ?? false };
    if (typeof value !== "object" || value === null) continue;
    const inside: (typeof place)[] = [];
    for (const [key, child] of Object.entries(value)) {
      const path = `${where}${step(key)}`;
      if (!Array.isArray(value)) yield { value: key, where: path, isName: named === true };
      const isName = where === "" && key === "name";
      inside.push({ value: child, where: path, isName, named: NAMED.has(key) && named !== true });
    }
    rest.push(...inside.reverse());
  }
}
/** What these hold is named by the server. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions"]);
