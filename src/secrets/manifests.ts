/** The values of a Kubernetes Secret that is written down, as YAML or as JSON with a member a line. */
import type { Scan } from "./scan.ts";
import { isPlaceholder } from "./values.ts";

const IS_SECRET = /^[ \t]*"?kind"?:[ \t]*["']?secret["']?,?[ \t]*$/im;
const DATA = /^"?(data|stringData)"?:[ \t]*\{?$/;
const MEMBER = /^"?[\w.-]+"?:[ \t]*(.*)$/;
const BLOCK = /^[|>][+-]?\d?$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const LEAST = 8;
const FAMILY = "kubernetes";

/** Whether the colon at `at` may belong to `kind: Secret`. */
export function mayBeManifest(text: string, at: number): boolean {
  return text.slice(at - 5, at).includes("kind") && /^[ \t]*["']?secret/i.test(text.slice(at + 1, at + 16));
}

/** Looks through a text in which mayBeManifest was true, document by document. */
export function manifestsIn(scan: Scan): void {
  let at = 0;
  for (const document of scan.text.split(/^---/m)) {
    if (IS_SECRET.test(document)) documentIn(scan, at, document);
    at += document.length + 3;
  }
}

/** Everything that is indented deeper than `data:`, line by line. */
function documentIn({ found }: Scan, start: number, document: string): void {
  let at = start;
  let data: { readonly indent: number; readonly isBase64: boolean } | undefined;
  for (const line of document.split("\n")) {
    const text = line.trim();
    const indent = line.indexOf(text);
    const name = DATA.exec(text)?.[1];
    if (name !== undefined) data = { indent, isBase64: name === "data" };
    else if (text !== "" && data && indent <= data.indent) data = undefined;
    else if (data && !text.startsWith("#")) {
      const value = (MEMBER.exec(text)?.[1] ?? text).replace(/,$/, "").replace(/^(["'])(.*)\1$/, "$2");
      const isOne = data.isBase64 ? value.length >= LEAST && BASE64.test(value) : value.length >= LEAST && !BLOCK.test(value);
      const from = at + line.lastIndexOf(value);
      if (isOne && !isPlaceholder(value)) found(from, from + value.length, FAMILY);
    }
    at += line.length + 1;
  }
}
