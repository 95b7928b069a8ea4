/** Finds, reads, merges and judges the configuration files. Never throws and never writes: the files are the operator's. */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { checkAuth, warnAuth } from "./auth-checks.ts";
import {
  checkFamilies,
  checkListen,
  checkPeople,
  checkServerNames,
  type ServersIn,
  warnFamilies,
  warnMain,
  warnServerNames,
  warnServers,
} from "./checks.ts";
import { type Document, parseDocument, sha256 } from "./jsonc.ts";
import { mergeServers } from "./merge.ts";
import { configCandidates, type Surroundings } from "./paths.ts";
import { checkPolicy } from "./policy-checks.ts";
import { type Place, type Problem, showPath } from "./problems.ts";
import { warnQuestions } from "./question-checks.ts";
import { referencedFiles } from "./reference-files.ts";
import { type Config, MainFile, parseAddress } from "./schema.ts";
import { stampOf } from "./stamp.ts";
import { validateMain, validateServers } from "./validate.ts";

export interface LoadOptions extends Partial<Surroundings> {
  /** `--config`. */
  readonly flag?: string;
  /** `--listen`: replaces the address of the file. */
  readonly listen?: string;
}

/** Where a value was written; `seeded`: as one of `bridge.defaultServers`. */
export interface Origin extends Place {
  readonly seeded?: true;
}

interface Common {
  /** The main file; absent when there is none and the defaults hold. */
  readonly file?: string;
  /** Every path whose change (or appearance) calls for another load. */
  readonly watched: readonly string[];
  readonly warnings: readonly Problem[];
}
export interface Loaded extends Common {
  readonly ok: true;
  readonly config: Config;
  /** SHA-256 of the main file's bytes, hex; of nothing when there is none. */
  readonly digest: string;
  /** Changes when any of the files or the flags do. */
  readonly fingerprint: string;
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  /** Stamps of the files that references name. They change what is resolved, and nothing else. */
  readonly references: Readonly<Record<string, string>>;
  /** Where each key was written, by its path (`mcpServers.github.args[0]`). A key that is not here has its default. */
  readonly origins: Readonly<Record<string, Origin>>;
}
export interface Broken extends Common {
  readonly ok: false;
  readonly errors: readonly Problem[];
}
export type LoadResult = Loaded | Broken;

/** Load the configuration. A file that is asked for must exist; without any file the defaults hold. */
export function loadConfig(options: LoadOptions = {}): LoadResult {
  const around = { env: process.env, cwd: process.cwd(), home: homedir(), ...options };
  const places = configCandidates(options.flag, around);
  if ("asked" in places) return loadFile(places.asked, [places.asked], around);
  const watched: string[] = [];
  for (const candidate of places.candidates) {
    watched.push(candidate);
    if (read(candidate) !== "missing") return loadFile(candidate, watched, around);
  }
  const defaults: Config = { ...MainFile.parse({}), mcpServers: {} };
  const digest = sha256("");
  return finish({ config: defaults, digest, files: [], watched, warnings: [], references: {}, origins: {} }, options.listen);
}

function loadFile(file: string, candidates: readonly string[], { listen, env }: LoadOptions & Surroundings): LoadResult {
  const watched = [...candidates];
  const warnings: Problem[] = [];
  const broken = (errors: readonly Problem[]): Broken => ({ ok: false, file, errors, warnings, watched });

  const document = open(file, { file, line: 0, column: 0 }, "");
  if ("errors" in document) return broken(document.errors);
  const main = validateMain(document);
  warnings.push(...main.warnings);
  if ("problems" in main) return broken(main.problems);

  const { mcpConfig, mcpServers, $schema: _, ...settings } = main.value;
  const sources: ServersIn[] = [{ document, servers: mcpServers }];
  const errors = [...checkPeople(document, main.value), ...checkFamilies(document, main.value)];
  for (const [i, name] of (mcpConfig === undefined ? ["mcp.json"] : [mcpConfig].flat()).entries()) {
    const path = resolve(dirname(file), name);
    if (!watched.includes(path)) watched.push(path);
    if (mcpConfig === undefined && read(path) === "missing") continue;
    const key = Array.isArray(mcpConfig) ? ["mcpConfig", i] : ["mcpConfig"];
    const found = open(path, document.place(key), showPath(key));
    if ("errors" in found) {
      errors.push(...found.errors);
      continue;
    }
    const servers = validateServers(found);
    warnings.push(...servers.warnings);
    if ("problems" in servers) errors.push(...servers.problems);
    else sources.push({ document: found, servers: servers.value.mcpServers });
  }
  const judged = checkPolicy(document, main.value, sources);
  errors.push(...checkServerNames(sources), ...checkAuth(sources, main.value.auth), ...judged.errors);
  if (errors.length > 0) return broken(errors);

  warnings.push(
    ...warnMain(document, main.value),
    ...warnFamilies(document, main.value),
    ...judged.warnings,
    ...warnServerNames(sources),
    ...sources.flatMap((source) => [...warnServers(source, settings.bridge), ...warnAuth(source)]),
    ...warnQuestions(document, main.value, sources),
  );
  const merged = mergeServers(document, sources, settings.bridge.defaultServers);
  warnings.push(...merged.warnings);
  const { attachmentsPath } = settings.bridge;
  const saved = attachmentsPath === undefined ? {} : { attachmentsPath: resolve(dirname(file), attachmentsPath) };
  const config: Config = { ...settings, bridge: { ...settings.bridge, ...saved }, mcpServers: merged.servers };
  const files = sources.map((source) => ({ path: source.document.file, digest: source.document.digest }));
  const origins = originsOf(document, sources, merged.seeded);
  // Stamped before anybody reads them: a change in between is seen when they are stamped again.
  const references = Object.fromEntries(
    sources.flatMap((source) => referencedFiles(source.document, env)).map((path) => [path, stampOf(path)]),
  );
  watched.push(...Object.keys(references).filter((path) => !watched.includes(path)));
  return finish({ file, config, digest: document.digest, files, watched, warnings, references, origins }, listen);
}

function finish(loaded: Omit<Loaded, "ok" | "fingerprint">, listen: string | undefined): LoadResult {
  const fingerprint = sha256(JSON.stringify([loaded.files, listen]));
  const flag = { file: "--listen", line: 0, column: 0 };
  const address = listen === undefined ? loaded.config.listen : parseAddress(listen);
  if (address === undefined)
    return { ...loaded, ok: false, errors: [{ ...flag, path: "", message: "expected HOST:PORT, for example 127.0.0.1:7420" }] };
  const config: Config = { ...loaded.config, listen: { ...loaded.config.listen, ...address } };
  const place = listen === undefined ? (loaded.origins["listen.address"] ?? loaded.origins["listen"] ?? flag) : flag;
  const errors = checkListen(config, place);
  return errors.length > 0 ? { ...loaded, ok: false, errors } : { ok: true, fingerprint, ...loaded, config };
}

function originsOf(main: Document, sources: readonly ServersIn[], seeded: readonly string[]): Record<string, Origin> {
  const written = sources.flatMap(({ document }) => document.keys().map(({ path, place }): [string, Origin] => [showPath(path), place]));
  const seeds = seeded.map((name): [string, Origin] => {
    const place = main.place(["bridge", "defaultServers", name]);
    return [showPath(["mcpServers", name, "url"]), { ...place, seeded: true }];
  });
  return Object.fromEntries([...written, ...seeds]);
}

function open(file: string, named: Place, path: string): Document | { errors: Problem[] } {
  const bytes = read(file);
  if (typeof bytes === "string") {
    const message = bytes === "missing" ? `there is no file ${file}` : `the file ${file} cannot be read (${bytes})`;
    const hint = bytes === "missing" ? "check the path, or write the file" : "check its permissions";
    return { errors: [{ ...named, path, message, hint }] };
  }
  const parsed = parseDocument(file, bytes);
  return "document" in parsed ? parsed.document : { errors: parsed.problems };
}

/** The bytes of a file, or in a word why not. */
function read(file: string): Uint8Array | "missing" | (string & {}) {
  try {
    if (!statSync(file).isFile()) return "it is no regular file"; // a device or a pipe would block
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : code;
  }
}
