/** The shape of markers, and that different originals have different ones. */
import { expect, test } from "bun:test";
import { markerIn, markerOf, replaceMarkers } from "../../src/secrets/marker.ts";

const key = new Uint8Array(32).fill(1);

test("another original, family or key is another marker, also where UTF-8 sees no difference", () => {
  const originals = ["\ud800-secret", "\udc00-secret", "\ufffd-secret", "\\ud800-secret"];
  const markers = [...originals.map((each) => markerOf(key, "secret", each)), markerOf(key, "other", "\ufffd-secret")];
  markers.push(markerOf(new Uint8Array(32), "secret", "\ufffd-secret"));
  expect(new Set(markers).size).toBe(6);
  for (const marker of markers) expect(markerIn(`a ${marker} b`)).toBe(marker);
});

test("every marker in a text is replaced, once, and nothing in the replacement is special", () => {
  const marker = markerOf(key, "secret", "x");
  expect(replaceMarkers(`${marker}${marker} [REDACTED secret #xyz]`, () => `$&${marker}`)).toBe(
    `$&${marker}$&${marker} [REDACTED secret #xyz]`,
  );
});
