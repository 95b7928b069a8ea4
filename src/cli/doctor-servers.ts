/** The doctor's look at the configuration: which servers can be used, which programs are missing, which secrets are looked for. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { eventDefinitions } from "../../events/all.ts";
import type { Loaded, LoadResult } from "../config/load.ts";
import { formatProblem } from "../config/problems.ts";
import { type Resolved, type ResolveOptions, registeredReferences, resolveEntry, resolveLlm, resolveOutside } from "../config/resolve.ts";
import { namesCredential } from "../config/secret-values.ts";
import { openReader } from "../log/reader.ts";
import type { Target } from "../mcp/downstream/downstream.ts";
import { familyOf, patterns } from "../secrets/patterns.ts";
import { createVault } from "../secrets/vault.ts";
import { isLoginMissing } from "./auth-status.ts";
import { attention, type Finding, fine, note } from "./doctor-finding.ts";
import { secretLookup } from "./secret-store.ts";
import { selfPath } from "./self.ts";

interface StateRow {
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
}

export function configFindings(loaded: LoadResult): Finding[] {
  const { file, warnings } = loaded;
  const found =
    file === undefined
      ? note(
          "config",
          "there is no file: the defaults hold, without any MCP server",
          "write toolcrib.jsonc here, or name one with --config",
        )
      : fine("config", file);
  const errors = loaded.ok ? [] : loaded.errors;
  return [
    ...(errors.length > 0 ? [] : [found]),
    ...errors.map((error) => attention("config", formatProblem(error), 'put it right, then "toolcrib config check"')),
    ...warnings.map((warning) => note("config", formatProblem(warning))),
  ];
}

export function serverFindings({ config, file }: Loaded, folder: string): Finding[] {
  const { host, port } = config.listen;
  const mainFolder = file === undefined ? "." : dirname(file);
  const damaged: string[] = [];
  const options: ResolveOptions = {
    env: process.env,
    secrets: config.secrets,
    family: familyOf,
    self: { listen: { host, port }, commands: [selfPath()] },
    auth: { profiles: config.auth, folder: mainFolder },
    secret: secretLookup(folder, (problem) => damaged.push(problem)),
  };
  const entries = Object.entries(config.mcpServers).map(([name, entry]) => ({
    name,
    entry,
    resolution: resolveEntry(name, entry, options),
  }));
  const states = lastStates(folder);
  const servers = entries.map(({ name, entry, resolution }) => {
    const title = `server ${name}`;
    if (entry.disabled) return note(title, "disabled");
    if (!resolution.ok) return attention(title, `it cannot be used: ${resolution.refused}`, `correct its entry in ${entry.file}`);
    const missing = missingProgram(resolution.target);
    if (missing !== undefined) return attention(title, missing, "install it, or name it with its whole path");
    const { target, auth } = resolution;
    if (auth && target.kind === "http" && isLoginMissing(folder, target.url, auth))
      return attention(title, "it wants a person's login, and nobody is logged in", `toolcrib auth login ${name}`);
    const state = states.get(name);
    if (state?.state === "disconnected") return note(title, `${state.state}${state.reason === null ? "" : `: ${state.reason}`}`);
    return fine(title, state?.state ?? "not started yet");
  });
  const further = registeredReferences(mainFolder, options);
  const registered = entries.flatMap(({ entry, resolution }) => (resolution.ok && !entry.disabled ? resolution.registered : []));
  const { tiers, off } = resolveLlm(config.llm, mainFolder, options);
  const outside = resolveOutside(config, mainFolder, options);
  const keys = Object.values(tiers).flatMap(({ secrets }) => secrets);
  return [
    ...servers,
    ...Object.entries(tiers).map(([tier, { model }]) => fine(`llm ${tier}`, `the model ${model} is asked`)),
    ...Object.entries(off).map(([tier, reason]) =>
      attention(`llm ${tier}`, `it is not asked: ${reason}`, `correct llm.${tier} in ${file}`),
    ),
    ...Object.entries(outside.off).map(([path, reason]) => attention(path, reason, hookAdvice(path, file))),
    ...secretFindings(
      [...registered, ...keys, ...outside.registered, ...further.registered],
      entries.flatMap(({ entry, resolution }) => (entry.disabled ? [] : unregistered(resolution))),
    ),
    ...[...new Set(damaged)].map((problem) => attention("secrets", problem, 'look at "toolcrib secret list"')),
    ...further.missing.map((missing) => attention("secrets", missing, "set it, or take it out of secrets.register")),
  ];
}

const hookAdvice = (path: string, file: string | undefined): string =>
  `${path.startsWith("hooks.pre") ? "until then it blocks every call that it is about: " : ""}correct it in ${file}`;

/** Names only. A vault like the daemon's judges them, with a key that nothing depends on. */
function secretFindings(secrets: Parameters<ReturnType<typeof createVault>["configure"]>[0], ignored: readonly string[]): Finding[] {
  const vault = createVault({ key: new Uint8Array(32), patterns });
  const refused = vault.configure(secrets);
  const names = vault.names();
  return [
    fine("secrets", names.length === 0 ? "none are looked for" : `looked for: ${names.join(", ")}`),
    ...ignored.map((name) =>
      note(
        "secrets",
        `${name} is named like a secret, but its value is none (too short, a path, a host or a plain URL): it is not looked for`,
      ),
    ),
    ...refused.map(({ name, reason }) =>
      attention("secrets", `${name} is not looked for: ${reason}`, "use a longer value, or list it under secrets.ignore"),
    ),
  ];
}

/** Variables and headers whose name speaks of a secret, and whose value is not taken for one. */
function unregistered(resolution: Resolved): string[] {
  if (!resolution.ok) return [];
  const { target, registered } = resolution;
  const values = Object.entries(target.kind === "stdio" ? target.env : target.headers);
  return values
    .filter(([name, value]) => value !== "" && namesCredential(name) && !registered.some((secret) => value.includes(secret.value)))
    .map(([name]) => name);
}

function missingProgram(target: Target): string | undefined {
  if (target.kind !== "stdio") return undefined;
  const { command, cwd, env } = target;
  if (cwd !== undefined && !existsSync(cwd)) return `its folder ${cwd} does not exist`;
  const path = env["PATH"] ?? process.env["PATH"] ?? "";
  return Bun.which(command, { PATH: path, ...(cwd !== undefined && { cwd }) }) === null
    ? `its program ${command} is not on the PATH`
    : undefined;
}

/** As the log tells them; none when it cannot be read, which is told elsewhere. */
function lastStates(folder: string): ReadonlyMap<string, StateRow> {
  try {
    const reader = openReader(folder, eventDefinitions);
    try {
      return new Map(reader.query<StateRow>("select name, state, reason from servers").map((row) => [row.name, row]));
    } finally {
      reader.close();
    }
  } catch {
    return new Map();
  }
}
