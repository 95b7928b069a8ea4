/** The JSON object in what a model says, with or without prose and code fences around it. */

/** The first balanced one that is JSON. Undefined: there is none, or the first one is cut off, so that what stands inside of it is not taken for it. Linear. */
export function firstObject(text: string): Readonly<Record<string, unknown>> | undefined {
  for (let start = text.indexOf("{"); start >= 0; ) {
    const end = endOf(text, start);
    if (end === undefined) return undefined;
    const object = parse(text.slice(start, end));
    if (object) return object;
    start = text.indexOf("{", end);
  }
  return undefined;
}

/** Behind the brace that closes the one at `start`; those in strings do not count. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isText && char === "\\") at++;
    else if (char === '"') isText = !isText;
    else if (!isText && char === "{") depth++;
    else if (!isText && char === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

function parse(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
