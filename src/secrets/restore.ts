/** Brings originals back in place of their markers, and lets nothing of a marker's shape through that has none. */
import { MAX_DEPTH, mapStrings } from "./leaves.ts";
import { markerIn, replaceMarkers } from "./marker.ts";

type Arguments = Readonly<Record<string, unknown>>;
/** `refused`: the first text of a marker's shape that cannot be replaced. */
export type Restored = { readonly value: Arguments } | { readonly refused: string };

export const WITHHELD = `[WITHHELD: nested deeper than ${MAX_DEPTH} levels]`;

/** No marker: the very same object. */
export function restore(args: Arguments, originalOf: (marker: string) => string | undefined): Restored {
  let refused: string | undefined;
  const value = mapStrings(args, {
    text: (text) => {
      const revealed = replaceMarkers(text, (marker) => originalOf(marker) ?? marker);
      // Looked for in what comes out: an original must neither hold a marker nor complete one with the text around it.
      refused ??= markerIn(revealed);
      return revealed;
    },
    key: (text) => {
      refused ??= markerIn(text);
    },
    tooDeep: () => {
      refused ??= WITHHELD;
      return WITHHELD;
    },
    exempt: false,
  });
  return refused === undefined ? { value: value as Arguments } : { refused };
}
