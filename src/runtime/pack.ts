/** States as JSON: maps become tagged lists, everything else is plain data already. */

const TAG = "$map";

/** A JSON value that `unpack` turns back into an equal state. */
export function pack(state: unknown): unknown {
  if (state instanceof Map) return { [TAG]: [...state].map(([key, value]) => [key, pack(value)]) };
  if (Array.isArray(state)) return state.map(pack);
  if (state === null || typeof state !== "object") return state;
  return Object.fromEntries(Object.entries(state).map(([key, value]) => [key, pack(value)]));
}

export function unpack(packed: unknown): unknown {
  if (Array.isArray(packed)) return packed.map(unpack);
  if (packed === null || typeof packed !== "object") return packed;
  const tagged = (packed as Record<string, unknown>)[TAG];
  if (Array.isArray(tagged)) return new Map(tagged.map(([key, value]: [unknown, unknown]) => [key, unpack(value)]));
  return Object.fromEntries(Object.entries(packed).map(([key, value]) => [key, unpack(value)]));
}
