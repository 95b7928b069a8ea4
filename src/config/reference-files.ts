/** Which files the references of a configuration name: when one of them changes, a value does, though no word of the configuration did. */
import { dirname } from "node:path";
import type { Document } from "./jsonc.ts";
import type { Env } from "./paths.ts";
import { fileOf, type Piece, parseTemplate } from "./references.ts";

/** Whole paths, each once. Every text of the document counts, whether a reference in it is looked up or not. */
export function referencedFiles({ file, value }: Pick<Document, "file" | "value">, env: Env): string[] {
  const found = new Set<string>();
  const walk = (inside: unknown): void => {
    if (typeof inside === "object" && inside !== null) Object.values(inside).forEach(walk);
    if (typeof inside !== "string") return;
    for (const piece of piecesOf(inside)) {
      const path = piece.kind === "text" ? undefined : fileOf(piece, dirname(file), env);
      if (path !== undefined) found.add(path);
    }
  };
  walk(value);
  return [...found];
}

function piecesOf(template: string): readonly Piece[] {
  try {
    return parseTemplate(template);
  } catch {
    return []; // whoever resolves it says what is wrong
  }
}
