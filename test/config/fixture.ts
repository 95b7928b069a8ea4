/** Configuration files in a folder of their own, loaded without the environment of the machine. */

import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Broken, type Loaded, type LoadOptions, type LoadResult, loadConfig } from "../../src/config/load.ts";
import { formatProblem } from "../../src/config/problems.ts";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new folder with these files; a value that is no text is written as JSON. */
export function folderWith(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-config-"));
  made.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

/** Load `toolcrib.jsonc` with this content, beside the other files. */
export function load(main: unknown, others: Readonly<Record<string, unknown>> = {}, options: LoadOptions = {}): LoadResult {
  const cwd = folderWith({ "toolcrib.jsonc": main, ...others });
  return loadConfig({ env: {}, home: join(cwd, "home"), cwd, ...options });
}

export function loaded(main: unknown, others: Readonly<Record<string, unknown>> = {}, options: LoadOptions = {}): Loaded {
  const result = load(main, others, options);
  if (!result.ok) throw new Error(result.errors.map(formatProblem).join("\n"));
  return result;
}

export function broken(main: unknown, others: Readonly<Record<string, unknown>> = {}, options: LoadOptions = {}): Broken {
  const result = load(main, others, options);
  if (result.ok) throw new Error("expected the configuration to be refused");
  return result;
}

/** `path: message (hint)` of each error. */
export const errorsOf = (main: unknown, others: Readonly<Record<string, unknown>> = {}): string[] =>
  broken(main, others).errors.map(({ path, message, hint }) => `${path}: ${message}${hint === undefined ? "" : ` (${hint})`}`);

/** A reference, written so that no linter takes it for a forgotten template. */
export const ref = (body: string): string => `\${${body}}`;
