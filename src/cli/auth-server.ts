/** The servers of a configuration that have a profile, as the authentication verbs need them. */
import { dirname } from "node:path";
import type { AuthorizationCode, Profile } from "../auth/profile.ts";
import { type LoadOptions, loadConfig } from "../config/load.ts";
import { formatProblem } from "../config/problems.ts";
import { resolveEntry } from "../config/resolve.ts";
import { didYouMean } from "../config/suggest.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { secretLookup } from "./secret-store.ts";

export interface AuthFlags extends DataFlag {
  /** `--config`. */
  readonly config?: string;
}
export interface AuthServer {
  readonly name: string;
  /** As the server's entry names it. */
  readonly profileName: string;
  /** Undefined when the entry cannot be used, which `refused` explains. */
  readonly use: { readonly url: string; readonly profile: Profile } | undefined;
  readonly refused: string | undefined;
}

/** Throws a `Failure` (78) for a broken configuration. */
export function authServers(flags: AuthFlags): AuthServer[] {
  const options: LoadOptions = flags.config === undefined ? {} : { flag: flags.config };
  const loaded = loadConfig(options);
  if (!loaded.ok) throw failure(EXIT.config, loaded.errors.map(formatProblem).join("\n"));
  const { config, file } = loaded;
  const resolving = {
    env: process.env,
    secrets: config.secrets,
    secret: secretLookup(dataFolderOf(flags), complain),
    auth: { profiles: config.auth, folder: file === undefined ? "." : dirname(file) },
  };
  return Object.entries(config.mcpServers).flatMap(([name, entry]) => {
    if (entry.kind !== "http" || entry.auth === undefined) return [];
    const resolution = resolveEntry(name, entry, resolving);
    const target = resolution.ok && resolution.target.kind === "http" ? resolution.target : undefined;
    const profile = resolution.ok ? resolution.auth : undefined;
    const use = target === undefined || profile === undefined ? undefined : { url: target.url, profile };
    return [{ name, profileName: entry.auth, use, refused: resolution.ok ? undefined : resolution.refused }];
  });
}

/** The one server that somebody can log in to. Throws a `Failure` that says why there is none. */
export function loginServer(wanted: string, flags: AuthFlags): { name: string; url: string; profile: AuthorizationCode } {
  const servers = authServers(flags);
  const found = servers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) {
    const names = servers.map(({ name }) => name);
    const hint = didYouMean(wanted, names) ?? (names.length === 0 ? "no server has a profile" : `known: ${names.join(", ")}`);
    throw failure(EXIT.failed, `there is no server ${wanted} with "auth" in its entry: ${hint}`);
  }
  const { name, use, refused, profileName } = found;
  if (use === undefined) throw failure(EXIT.config, `the server ${name} cannot be used: ${refused}`);
  const { url, profile } = use;
  if (profile.type !== "authorization_code")
    throw failure(EXIT.failed, `the server ${name} needs no login: its profile ${profileName} is of type ${profile.type}`);
  return { name, url, profile };
}
