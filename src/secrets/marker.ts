/** The one text that stands in place of a secret, and how to recognise it. */

/** What a family may be called: it becomes part of the marker, so it must not be able to break its shape. */
const FAMILY_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const MARKER = /\[REDACTED [a-z0-9][a-z0-9_-]{0,31} #[0-9a-f]{8}\]/;
const MARKERS = new RegExp(MARKER.source, "g");
const OPENING = "[REDACTED ";

/** The family of a secret that nobody gave one. */
export const DEFAULT_FAMILY = "secret";

/** Returns the name, or throws a TypeError when it cannot stand inside a marker. */
export function checkFamilyName(name: string): string {
  if (FAMILY_NAME.test(name)) return name;
  throw new TypeError(`"${name}" cannot name a family of secrets: use 1 to 32 of a-z, 0-9, "-" and "_", beginning with a letter or digit.`);
}

/**
 * The marker of one original: the same for the same original, family and key, in every session and after a restart.
 * The digest covers the text exactly as it stood (an encoded form has another marker than the plain one), since a marker
 * has to bring back those very bytes.
 */
export function markerOf(key: Uint8Array, family: string, original: string): string {
  // A lone surrogate has no UTF-8 form: escaped, so that two different originals never share a digest for that reason.
  const text = original.isWellFormed() ? original : JSON.stringify(original);
  const digest = new Bun.CryptoHasher("sha256", key).update(`${family}\0${text}`).digest("hex");
  return `${OPENING}${family} #${digest.slice(0, 8)}]`;
}

/** The first thing in the text that has a marker's exact shape, ours or not. */
export function markerIn(text: string): string | undefined {
  return text.includes(OPENING) ? MARKER.exec(text)?.[0] : undefined;
}

/** Where in the text things of a marker's exact shape stand, in order. */
export function markersIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  if (!text.includes(OPENING)) return [];
  return [...text.matchAll(MARKERS)].map(({ index, 0: marker }) => ({ start: index, end: index + marker.length }));
}

/** Replaces everything of a marker's exact shape by what `original` makes of it. */
export function replaceMarkers(text: string, original: (marker: string) => string): string {
  return text.includes(OPENING) ? text.replace(MARKERS, original) : text;
}

/** Whether this value would be found again inside its own marker, which then could not hide it. */
export function isPartOfMarker(value: string, family: string): boolean {
  return `${OPENING}${family} #`.includes(value);
}
