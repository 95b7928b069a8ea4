/** Keeps secrets out of everything that is stored or shown: hides them behind markers, and brings them back only where they came from. */
import { mapStrings } from "./leaves.ts";
import { checkFamilyName, markerOf, markersIn } from "./marker.ts";
import { createMemory, DEFAULT_LIMITS, type MemoryLimits } from "./memory.ts";
import { addRange, outside, type Range, rangeOf, replaceRanges } from "./ranges.ts";
import { restore, WITHHELD } from "./restore.ts";
import { createSecretSet, type Refused, type Secret } from "./secret-set.ts";

/** Recognises secrets by their looks, in time linear in the text. */
export interface Patterns {
  /** All names of families that `find` gives. */
  readonly families: readonly string[];
  /** Calls back with parts `[start, end)` in UTF-16 units. `name`: of the member whose value the text is, or undefined. */
  find(text: string, name: string | undefined, found: (start: number, end: number, family: string) => number): void;
}

type Arguments = Readonly<Record<string, unknown>>;
export type Revealed = { readonly ok: true; readonly value: Arguments } | { readonly ok: false; readonly message: string };

type Hidden = (marker: string, original: string) => void;
/** Finds what is to be hidden besides secrets. */
type Further = (text: string, found: (start: number, end: number, family: string) => void) => void;
type Found = (start: number, end: number, family: string) => number;

export interface Vault {
  /** Replaces the secrets of the configuration (formsOf says in which encodings they are found). Returns those it refused. */
  configure(secrets: readonly Secret[]): readonly Refused[];
  /** Adds secrets that became known at run time; they stay until the process ends. Returns those it refused. */
  register(secrets: readonly Secret[]): readonly Refused[];
  /** Goes on looking for secrets that the configuration may hold no longer, since whoever was given them may still answer; only the newest 1,000. */
  retain(secrets: readonly Secret[]): void;
  /** Adds secrets that follow earlier ones of the same owner, a token that is renewed: only the latest of each are looked for. */
  hold(owner: string, secrets: readonly Secret[]): readonly Refused[];
  /** Families that patterns find and that are left alone from now on, instead of those before. What is registered is hidden whatever it looks like. */
  leaveAlone(families: Iterable<string>): void;
  /** The names of all secrets that are looked for, sorted. */
  names(): readonly string[];
  /**
   * Replaces secrets inside the strings of a JSON value by markers, the registered ones and those that patterns find; `found` counts them, and 0 means the very same object.
   * Keys, numbers, schemas of definitions and base64 media stay. What is nested deeper than MAX_DEPTH is withheld as a whole.
   * With `server` (for results) the session may send the markers back to that server. `server` must not be a name that another
   * server can have later: give the id of its incarnation, or call forgetServer when it goes. `hidden` is told what every marker stands for;
   * `further` finds what else is to be hidden; `whole`: also in schemas and media.
   */
  conceal<T>(
    value: T,
    scope: {
      readonly session: string;
      readonly server?: string;
      readonly hidden?: Hidden;
      readonly further?: Further | undefined;
      readonly whole?: boolean;
    },
  ): { readonly value: T; readonly found: number };
  /**
   * Replaces the markers in arguments by what this server returned in this session, byte for byte; no marker: the very same object.
   * `ok: false` (invalid_arguments) when any text of a marker's shape cannot be replaced: a marker is never sent to a server.
   */
  reveal(args: Arguments, scope: { readonly session: string; readonly server: string }): Revealed;
  /** For error messages, stderr lines and metrics: conceals without remembering. */
  redactText(text: string): string;
  forget(session: string): void;
  forgetServer(server: string): void;
}

/** What is hidden can lay bare a secret beside it: looked for again, but not for ever. */
const MOST_ROUNDS = 4;
const NONE: readonly Range[] = [];
const NO_PATTERNS: Patterns = { families: [], find: () => undefined };

/** A vault without secrets. `key` makes the markers' digests (the installation's key for markers, so that they survive a restart). */
export function createVault(options: {
  readonly key: Uint8Array;
  readonly patterns?: Patterns;
  readonly limits?: Partial<MemoryLimits>;
}): Vault {
  const { key, patterns = NO_PATTERNS } = options;
  const secrets = createSecretSet(patterns.families.map(checkFamilyName));
  const memory = createMemory({ ...DEFAULT_LIMITS, ...options.limits });

  let alone: ReadonlySet<string> = new Set();

  const patternsIn = (text: string, name: string | undefined, found: Found) => {
    if (alone.size === 0) return patterns.find(text, name, found);
    patterns.find(text, name, (start, end, family) => {
      if (!alone.has(family)) return found(start, end, family);
      // What is left alone may hold what is not.
      patterns.find(text.slice(start, end), undefined, (from, to, inner) =>
        alone.has(inner) ? to : found(start + from, start + to, inner) - start,
      );
      return end;
    });
  };

  const secretsIn = (text: string, name: string | undefined, further: Further | undefined): readonly Range[] => {
    let ranges: Range[] | undefined;
    secrets.matcher().find(text, (start, pattern) => {
      ranges ??= [];
      addRange(ranges, rangeOf(text, start, pattern));
    });
    let markers: ReturnType<typeof markersIn> | undefined;
    const found = (start: number, end: number, family: string) => {
      ranges ??= [];
      markers ??= markersIn(text);
      for (const range of outside({ start, end, family }, markers)) addRange(ranges, range);
      return end;
    };
    patternsIn(text, name, found);
    further?.(text, found);
    return ranges ?? NONE;
  };

  const hide = (text: string, name: string | undefined, hidden: Hidden, further?: Further): string => {
    let left = text;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const ranges = secretsIn(left, name, further);
      if (ranges.length === 0) break;
      left = replaceRanges(left, ranges, (original, family) => {
        const marker = markerOf(key, family, original);
        hidden(marker, original);
        return marker;
      });
    }
    return left;
  };

  const conceal: Vault["conceal"] = (value, { session, server, hidden: tell, further, whole = false }) => {
    if (patterns === NO_PATTERNS && secrets.isEmpty() && !further) return { value, found: 0 };
    let found = 0;
    const hidden = (marker: string, original: string) => {
      found += 1;
      if (server !== undefined) memory.remember(session, server, marker, original);
      tell?.(marker, original);
    };
    const concealed = mapStrings(value, {
      text: (text, name) => hide(text, name, hidden, further),
      tooDeep: () => {
        found += 1;
        return WITHHELD;
      },
      exempt: !whole,
    });
    return { value: concealed as typeof value, found };
  };

  const reveal: Vault["reveal"] = (args, { session, server }) => {
    const restored = restore(args, (marker) => memory.recall(session, server, marker));
    return "value" in restored ? { ok: true, value: restored.value } : { ok: false, message: refusal(restored.refused) };
  };

  return {
    configure: secrets.configure,
    register: secrets.register,
    retain: secrets.retain,
    hold: secrets.hold,
    leaveAlone(families) {
      alone = new Set(families);
    },
    names: secrets.names,
    conceal,
    reveal,
    redactText: (text) => hide(text, undefined, () => undefined),
    forget: memory.forget,
    forgetServer: memory.forgetServer,
  };
}

/** Which server that is in our own books is not for agents. */
function refusal(marker: string): string {
  return (
    `An argument contains a redacted value, ${marker}, that this server did not return in this session, or too long ago. Nothing was sent. ` +
    "Such a text brings its value back only on the server that it was read from: read it there again, or leave it out."
  );
}
