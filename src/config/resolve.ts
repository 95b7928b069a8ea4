/** Turns one configured server into an address to connect to: looks up its references and collects the secrets it was given. */
import { readFileSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Profile } from "../auth/profile.ts";
import { type Endpoint, TIERS, type Tier, type Tiers } from "../llm/tiers.ts";
import type { Target } from "../mcp/downstream/downstream.ts";
import { guardFault } from "../observe/guards.ts";
import { resolveProfile } from "./auth.ts";
import { isAuthorization } from "./auth-checks.ts";
import type { AuthEntry } from "./auth-schema.ts";
import { resolveTier } from "./llm.ts";
import type { LlmTiers } from "./llm-schema.ts";
import { type Outside, outsideOf } from "./outside.ts";
import { fillAt, joined, type Sources, UnresolvedReference } from "./references.ts";
import type { PlacedEntry } from "./schema.ts";
import { isLongEnough } from "./secret-values.ts";
import { type Registered, type Rules, secretsIn } from "./secrets.ts";
import { type Self, whyOurselves } from "./self.ts";
import { mapTexts } from "./texts.ts";

const MAX_FILE_BYTES = 64 * 1024;

export interface ResolveOptions {
  readonly env: Sources["env"];
  /** The secret store; without one every `${secret:NAME}` is missing. */
  readonly secret?: (name: string) => string | undefined;
  /** The content of a file of `${file:}` or `${cred:}`; the default reads at most 64 KiB. Throws when it cannot be read. */
  readonly readFile?: (path: string) => string;
  /** `secrets` of the configuration. */
  readonly secrets?: { readonly register: readonly string[]; readonly ignore: readonly string[] };
  readonly family?: (value: string) => string | undefined;
  /** Without it an entry that is this program is not recognised. */
  readonly self?: Self;
  /** `auth` of the configuration; relative paths in it start at `folder`. */
  readonly auth?: { readonly profiles: Readonly<Record<string, AuthEntry>>; readonly folder: string };
}

export type Resolved =
  | { readonly ok: true; readonly target: Target; readonly registered: readonly Registered[]; readonly auth?: Profile }
  | { readonly ok: false; readonly refused: string };

/** Resolve the entry `name`. What is wrong with it (a missing variable, a bad url) refuses this server only; the reason holds no values. Never throws. */
export function resolveEntry(name: string, entry: PlacedEntry, options: ResolveOptions): Resolved {
  const { sources, rules } = prepared(options);
  const registered = new Map<string, Registered>();
  const refused = (reason: string): Resolved => ({ ok: false, refused: reason });
  try {
    const filled = mapTexts(name, entry, (text) => {
      const pieces = fillAt(text, entry.folder, sources);
      for (const secret of secretsIn(text, pieces, rules)) if (!registered.has(secret.value)) registered.set(secret.value, secret);
      return joined(pieces);
    });
    const target = targetOf(filled);
    const auth = profileOf(entry, options);
    for (const secret of auth?.registered ?? []) if (!registered.has(secret.value)) registered.set(secret.value, secret);
    const wrong =
      guardFault(entry.argGuards) ?? whatIsWrong(target) ?? (options.self === undefined ? undefined : whyOurselves(target, options.self));
    if (wrong !== undefined) return refused(wrong);
    return { ok: true, target, registered: [...registered.values()], ...(auth && { auth: auth.profile }) };
  } catch (error) {
    if (error instanceof UnresolvedReference) return refused(error.message);
    throw error;
  }
}

function profileOf(entry: PlacedEntry, options: ResolveOptions) {
  if (entry.kind !== "http" || entry.auth === undefined) return undefined;
  const { profiles, folder } = options.auth ?? { profiles: {}, folder: "." };
  const profile = Object.hasOwn(profiles, entry.auth) ? profiles[entry.auth] : undefined;
  if (profile === undefined) throw new UnresolvedReference(`there is no profile ${entry.auth} under auth`);
  return resolveProfile(entry.auth, profile, folder, prepared(options));
}

export interface ResolvedLlm {
  readonly tiers: Tiers;
  /** Tiers that cannot be asked, and why. */
  readonly off: Readonly<Record<string, string>>;
}

/** Resolve the tiers of `llm`; relative paths start at `folder`. What is wrong with one turns this one off; the reason holds no values. */
export function resolveLlm(llm: LlmTiers, folder: string, options: ResolveOptions): ResolvedLlm {
  const tiers: { [T in Tier]?: Endpoint } = {};
  const off: Record<string, string> = {};
  for (const tier of TIERS) {
    const entry = llm[tier];
    try {
      if (entry !== undefined) tiers[tier] = resolveTier(tier, entry, folder, prepared(options));
    } catch (error) {
      if (!(error instanceof UnresolvedReference)) throw error;
      off[tier] = error.message;
    }
  }
  return { tiers, off };
}

/** Resolve what hooks run or ask and whom webhooks tell; relative paths start at `folder`. */
export const resolveOutside = (config: Parameters<typeof outsideOf>[0], folder: string, options: ResolveOptions): Outside =>
  outsideOf(config, folder, prepared(options));

/** The values of the references in `secrets.register`, whether a server uses them or not, and in words which of them are missing. */
export function registeredReferences(folder: string, options: ResolveOptions): { registered: Registered[]; missing: string[] } {
  const { sources, rules } = prepared(options);
  const registered: Registered[] = [];
  const missing: string[] = [];
  for (const reference of rules.register.filter((listed) => listed.startsWith("${"))) {
    try {
      for (const piece of fillAt({ where: "secrets.register", template: reference }, folder, sources))
        if (piece.kind !== "text" && isLongEnough(piece.value)) registered.push(piece);
    } catch (error) {
      if (!(error instanceof UnresolvedReference)) throw error;
      missing.push(error.message);
    }
  }
  return { registered, missing };
}

function prepared({ env, secret, readFile = readSmallFile, secrets, family }: ResolveOptions): { sources: Sources; rules: Rules } {
  return {
    sources: { env, readFile, ...(secret === undefined ? {} : { secret }) },
    rules: { register: secrets?.register ?? [], ignore: secrets?.ignore ?? [], ...(family === undefined ? {} : { family }) },
  };
}

function targetOf(entry: PlacedEntry): Target {
  if (entry.kind === "http") {
    const sent = ([name, value]: [string, string]) => value.trim() !== "" && !(entry.auth !== undefined && isAuthorization(name));
    const headers = Object.fromEntries(Object.entries(entry.headers).filter(sent));
    return { kind: "http", url: entry.url.trim(), mode: entry.mode, headers };
  }
  const { command, args, env, folder } = entry;
  const isProgramPath = /[\\/]/.test(command) && !isAbsolute(command);
  return { kind: "stdio", command: isProgramPath ? resolve(folder, command) : command, args, env, cwd: resolve(folder, entry.cwd ?? ".") };
}

/** What no server could be reached with, though every reference was found. */
function whatIsWrong(target: Target): string | undefined {
  if (target.kind === "stdio") {
    if (target.command.trim() === "") return "its command is empty";
    const all = [target.command, target.cwd ?? "", ...target.args, ...Object.values(target.env)];
    return all.some((value) => value.includes("\0")) ? "its command, args, env or cwd holds a NUL character" : undefined;
  }
  if (!URL.canParse(target.url) || !/^https?:$/.test(new URL(target.url).protocol)) return "its url is not an http or https address";
  const bad = Object.entries(target.headers).find(([, value]) => /[\0\r\n]/.test(value));
  return bad === undefined ? undefined : `its header ${bad[0]} holds a line break or a NUL character`;
}

function readSmallFile(path: string): string {
  const { size } = statSync(path);
  if (size > MAX_FILE_BYTES) throw Object.assign(new Error("too large"), { code: `larger than ${MAX_FILE_BYTES / 1024} KiB` });
  return readFileSync(path, "utf8");
}
