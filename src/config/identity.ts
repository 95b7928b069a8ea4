/** Which server an entry stands for, whatever it is called: two entries of one identity are one server. */
import { resolve } from "node:path";
import { canonicalize } from "../observe/canonical.ts";
import { sha256 } from "./jsonc.ts";
import { parseTemplate, writePiece } from "./references.ts";
import type { PlacedEntry } from "./schema.ts";
import { mapTexts } from "./texts.ts";

/**
 * Canonical JSON of what makes a server: how it is reached, as whom, and which of its tools it lends. Values stand as written, references
 * unresolved; only paths are made absolute, since the same words mean another thing in another folder. How its calls are treated
 * (deadline, trust, capabilities, summary) is no part of it.
 */
export function identityOf(written: PlacedEntry): string {
  const entry = mapTexts("", written, ({ template }) => absoluteFiles(template, written.folder));
  const sorted = (tools: readonly string[]) => tools.map((tool) => tool.toLowerCase()).toSorted();
  const lists = { allowedTools: sorted(entry.allowedTools), deniedTools: sorted(entry.deniedTools) };
  if (entry.kind === "stdio") {
    const { kind: type, command, args, env } = entry;
    return canonicalize({ type, command, args, env, cwd: resolve(entry.folder, entry.cwd ?? "."), ...lists }, "escape");
  }
  const headers = Object.entries(entry.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const { kind: type, mode: transportMode, auth } = entry;
  const url = normalisedUrl(entry.url);
  return canonicalize({ type, transportMode, url, headers: Object.fromEntries(headers), auth, ...lists }, "escape");
}

/** 16 hex digits of its SHA-256: the identity itself holds environments and headers. */
export const identityHash = (entry: PlacedEntry): string => sha256(identityOf(entry)).slice(0, 16);

/** Equal for addresses that differ only in the case of scheme and host, in spaces around them and in slashes or spaces at the end. References are kept as they are. */
export function normalisedUrl(written: string): string {
  const references: string[] = [];
  const kept = written.replace(/\$\{[^}]*\}/g, (reference) => `\0${references.push(reference) - 1}\0`);
  const bare = kept.replace(/#.*$/s, "").trim();
  const [, scheme = "", user = "", host = "", path = "", query = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(bare) ?? [];
  const isAddress = scheme !== "";
  const start = isAddress ? scheme.toLowerCase() + user + host.toLowerCase() : user + host;
  return `${withoutEnd(start + path)}${query}`.replace(/\0(\d+)\0/g, (_, index) => references[Number(index)] ?? "");
}

function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s/]/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** `${file:PATH}` with its whole path. What is no valid template stays: resolving it refuses the server. */
function absoluteFiles(template: string, folder: string): string {
  try {
    return parseTemplate(template)
      .map((piece) => writePiece(piece.kind === "file" ? { ...piece, name: resolve(folder, piece.name) } : piece))
      .join("");
  } catch {
    return template;
  }
}
