/** Reads what Bun's junit reporter writes: one verdict a test. */

export interface Outcome {
  /** Relative to the repository. */
  readonly file: string;
  /** With the names of the groups it stands in. */
  readonly name: string;
  readonly verdict: "passed" | "failed" | "skipped";
  readonly seconds: number;
}

const CASE = /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;
const ENTITY: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

const plain = (text: string): string =>
  text.replace(/&(?:(lt|gt|quot|apos|amp)|#(\d+)|#x([0-9a-f]+));/gi, (_, word, decimal, hex) =>
    word ? (ENTITY[word.toLowerCase()] ?? "") : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );
/** On one line, whatever a test is called. */
const attribute = (attributes: string, name: string): string =>
  plain(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "").replaceAll(/\s+/g, " ");

export function readJunit(xml: string): Outcome[] {
  return [...xml.matchAll(CASE)].flatMap(([, attributes = "", body = ""]) => {
    const group = attribute(attributes, "classname");
    const name = attribute(attributes, "name");
    if (name === "(unnamed)") return []; // a hook of a skipped group
    return {
      file: attribute(attributes, "file"),
      name: group === "" ? name : `${group} > ${name}`,
      seconds: Number(attribute(attributes, "time")),
      verdict: /<(failure|error)\b/.test(body) ? "failed" : /<skipped\b/.test(body) ? "skipped" : "passed",
    };
  });
}
