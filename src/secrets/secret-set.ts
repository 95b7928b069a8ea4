/** The secrets that are looked for: those of the configuration, and those that became known at run time. */
import { formsOf } from "./forms.ts";
import { checkFamilyName, DEFAULT_FAMILY, isPartOfMarker } from "./marker.ts";
import { createMatcher, type Matcher, type Pattern } from "./matcher.ts";

/** `family` stands in the marker, and defaults to `secret`. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  readonly family?: string;
}
/** A secret that is not looked for, and why. Never holds the value. */
export interface Refused {
  readonly name: string;
  readonly reason: string;
}

export interface SecretSet {
  /** Replaces the secrets of the configuration; returns those it refused. */
  configure(secrets: readonly Secret[]): readonly Refused[];
  /** Adds secrets for as long as the process lives; returns those it refused. */
  register(secrets: readonly Secret[]): readonly Refused[];
  /** Goes on looking for secrets that the configuration may hold no longer; only the newest 1,000 of them. */
  retain(secrets: readonly Secret[]): void;
  /** Adds secrets that follow earlier ones of this owner; only its latest are looked for. Returns those it refused. */
  hold(owner: string, secrets: readonly Secret[]): readonly Refused[];
  /** Sorted, each once. */
  names(): readonly string[];
  isEmpty(): boolean;
  /** Finds all of them in all their forms; made again on the first use after a change. */
  matcher(): Matcher;
}

/** Shorter values would be found in ordinary text. */
const SHORTEST_SECRET = 8;
/** All forms of a value are held in memory, some 25 times its size. */
const LONGEST_SECRET = 256 * 1024;
const MOST_REGISTERED = 10_000;
const MOST_RETAINED = 1000;
/** Of one owner: what a token that was renewed leaves behind may still turn up in late answers. */
const MOST_HELD = 12;
/** A search compares no character of a text more often than a secret's beginning stands in the secret: what keeps it linear. */
const MOST_REPETITIONS = 256;

/** One value, which may have several names. */
interface Entry {
  readonly names: Set<string>;
  readonly patterns: readonly Pattern[];
}

/** An empty set. `families`: what else may stand in a marker, in which no secret may be found again. */
export function createSecretSet(families: readonly string[]): SecretSet {
  let configured = new Map<string, Entry>();
  const registered = new Map<string, Entry>();
  const retained = new Map<string, Entry>();
  const held = new Map<string, Map<string, Entry>>();
  const all = (): Entry[] => [configured, registered, retained, ...held.values()].flatMap((group) => [...group.values()]);
  let matcher = createMatcher([]);
  /** Set by every change of the secrets; the matcher is made again when it is next used. */
  let stale = false;

  const admit = (into: Map<string, Entry>, secrets: readonly Secret[], most: number): readonly Refused[] => {
    const refused: Refused[] = [];
    for (const { name, value, family = DEFAULT_FAMILY } of secrets) {
      const core = value.trim();
      const known = into.get(core);
      if (known) {
        known.names.add(name);
        continue;
      }
      const reason = into.size >= most ? `${most} are registered already` : whyNot(core, [checkFamilyName(family), ...families]);
      const patterns = reason ? [] : formsOf(core).map((form) => ({ ...form, family }));
      if (reason) refused.push({ name, reason });
      else if (patterns.some(({ text }) => repeatsItself(text))) refused.push({ name, reason: "it repeats its own beginning too often" });
      else into.set(core, { names: new Set([name]), patterns });
    }
    stale = true;
    return refused;
  };

  return {
    configure: (secrets) => {
      const next = new Map<string, Entry>();
      const refused = admit(next, secrets, Number.POSITIVE_INFINITY);
      configured = next;
      return refused;
    },
    register: (secrets) => admit(registered, secrets, MOST_REGISTERED),
    retain: (secrets) => {
      for (const { value } of secrets) retained.delete(value.trim()); // the newest is last
      admit(retained, secrets, Number.POSITIVE_INFINITY);
      for (const value of [...retained.keys()].slice(0, -MOST_RETAINED)) retained.delete(value);
    },
    hold: (owner, secrets) => {
      const own = held.get(owner) ?? new Map<string, Entry>();
      held.set(owner, own);
      if (secrets.every(({ value }) => own.has(value.trim()))) return [];
      const refused = admit(own, secrets, Number.POSITIVE_INFINITY);
      for (const oldest of own.keys()) if (own.size > MOST_HELD) own.delete(oldest);
      return refused;
    },
    names: () => [...new Set(all().flatMap(({ names }) => [...names]))].sort(),
    isEmpty: () => configured.size === 0 && registered.size === 0 && retained.size === 0 && held.size === 0,
    matcher: () => {
      if (stale) matcher = createMatcher(all().flatMap(({ patterns }) => patterns));
      stale = false;
      return matcher;
    },
  };
}

/** Why a value is not looked for, or undefined. */
function whyNot(value: string, families: readonly string[]): string | undefined {
  if (value.length < SHORTEST_SECRET) return `shorter than ${SHORTEST_SECRET} characters`;
  if (value.length > LONGEST_SECRET) return `longer than ${LONGEST_SECRET} characters`;
  return families.some((each) => isPartOfMarker(value, each)) ? "it is part of the text that would replace it" : undefined;
}

function repeatsItself(text: string): boolean {
  const beginning = text.slice(0, SHORTEST_SECRET);
  let at = 0;
  for (let count = 0; count <= MOST_REPETITIONS; count += 1) {
    at = text.indexOf(beginning, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
