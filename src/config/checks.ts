/** What a schema cannot say: rules between keys, and between files. */
import { isConfusable } from "../../actors/confusable.ts";
import { isSecure } from "../auth/address.ts";
import { guardFault } from "../observe/guards.ts";
import { patterns } from "../secrets/patterns.ts";
import type { Document } from "./jsonc.ts";
import { BUILTIN_PROFILE_NAMES } from "./judged.ts";
import type { TierEntry } from "./llm-schema.ts";
import { unpinnedPackage } from "./packages.ts";
import { isLoopback } from "./paths.ts";
import { formatPlace, type KeyPath, type Place, type Problem, showPath } from "./problems.ts";
import type { Config, MainFile } from "./schema.ts";
import type { ServerEntry } from "./server-schema.ts";
import { didYouMean } from "./suggest.ts";

export interface ServersIn {
  readonly document: Document;
  readonly servers: Readonly<Record<string, ServerEntry>>;
}

/** A problem with a key of a file. */
export const problemAt = (document: Document, path: KeyPath, message: string, hint?: string): Problem => ({
  ...document.place(path),
  path: showPath(path),
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** Names and tokens of agents and operators are unique, and every profile that is named exists. */
export function checkPeople(document: Document, { agents, operators, profiles }: MainFile): Problem[] {
  const problems: Problem[] = [];
  const report = (path: KeyPath, message: string, hint?: string) => problems.push(problemAt(document, path, message, hint));
  const hashes = new Map<string, string>();
  for (const [group, people] of [["agents", agents] as const, ["operators", operators] as const]) {
    const names = new Map<string, string>();
    for (const [i, { name, tokenHash }] of people.entries()) {
      const first = names.get(name.toLowerCase());
      if (first !== undefined) report([group, i, "name"], `the same name as ${first} (case does not count)`, "give each its own name");
      const holder = hashes.get(tokenHash);
      if (holder !== undefined) report([group, i, "tokenHash"], `the same token as ${holder}`, "make a token of its own");
      names.set(name.toLowerCase(), showPath([group, i]));
      hashes.set(tokenHash, showPath([group, i]));
    }
  }
  const known = [...new Set([...BUILTIN_PROFILE_NAMES, ...Object.keys(profiles)])];
  for (const [i, { profile }] of agents.entries()) {
    if (profile === undefined || known.includes(profile)) continue;
    report(["agents", i, "profile"], "there is no such profile", didYouMean(profile, known) ?? `known: ${known.join(", ")}`);
  }
  return problems;
}

/** The families of secrets that are not looked for. */
export const familiesOff = ({ families }: Config["secrets"]): string[] =>
  Object.keys(families).filter((family) => families[family] === false);

/** Every family that is named is one that is looked for. */
export function checkFamilies(document: Document, { secrets }: Pick<MainFile, "secrets">): Problem[] {
  const unknown = Object.keys(secrets.families).filter((family) => !patterns.families.includes(family));
  return unknown.map((family) => {
    const hint = didYouMean(family, patterns.families) ?? "a marker names it: [REDACTED family #…]";
    return problemAt(document, ["secrets", "families", family], "there is no such family", hint);
  });
}

/** What is not hidden any more. */
export const warnFamilies = (document: Document, { secrets }: Pick<MainFile, "secrets">): Problem[] =>
  familiesOff(secrets).map((family) =>
    problemAt(
      document,
      ["secrets", "families", family],
      "secrets of this kind that are not registered are neither hidden from agents nor kept out of the log",
    ),
  );

/** Whoever can reach another address than loopback must show a token. */
export function checkListen({ listen, agents }: Config, place: Place): Problem[] {
  if (isLoopback(listen.host) || agents.length > 0) return [];
  const message = `${listen.host} can be reached from other machines, and no agent has a token`;
  return [{ ...place, path: "listen", message, hint: "add agents with a tokenHash, or listen on 127.0.0.1" }];
}

/** Two servers whose names are equal without case, in one file or in several. */
export function checkServerNames(sources: readonly ServersIn[]): Problem[] {
  const seen = new Map<string, string>();
  return sources.flatMap(({ document, servers }) =>
    Object.keys(servers).flatMap((name) => {
      const path = ["mcpServers", name];
      const first = seen.get(name.toLowerCase());
      seen.set(name.toLowerCase(), first ?? formatPlace(document.place(path)));
      return first === undefined
        ? []
        : [problemAt(document, path, `a server of this name stands at ${first} already (case does not count)`)];
    }),
  );
}

/** Servers that a reader, or a model, may take for each other. */
export function warnServerNames(sources: readonly ServersIn[]): Problem[] {
  const all = sources.flatMap(({ document, servers }) => Object.keys(servers).map((name) => ({ document, name })));
  return all.flatMap(({ document, name }, index) => {
    const like = all.slice(0, index).find((other) => isConfusable(other.name, name));
    return like ? [problemAt(document, ["mcpServers", name], `the name looks like that of the server ${like.name}`)] : [];
  });
}

/** What works, but perhaps not as meant. */
export function warnServers({ document, servers }: ServersIn, bridge: Config["bridge"]): Problem[] {
  return Object.entries(servers).flatMap(([name, entry]) => {
    const warn = (key: string, message: string) => problemAt(document, ["mcpServers", name, key], message);
    const warnings: Problem[] = [];
    if (entry.allowedTools.length > 0 && entry.deniedTools.length > 0)
      warnings.push(warn("deniedTools", "stands beside allowedTools: a tool in both lists is denied"));
    const fault = guardFault(entry.argGuards);
    if (fault !== undefined) warnings.push(warn("argGuards", `the server cannot be used: ${fault}`));
    const unpinned = entry.kind === "stdio" ? unpinnedPackage(entry.command, entry.args) : undefined;
    if (unpinned !== undefined) warnings.push(warn("args", `${unpinned} has no exact version: what is newest is fetched at every start`));
    const timeout = entry.toolTimeoutMs;
    if (timeout !== undefined && timeout <= 0) warnings.push(warn("toolTimeoutMs", "is ignored: a deadline is longer than 0 ms"));
    if (timeout !== undefined && timeout > bridge.maxTimeoutMs)
      warnings.push(warn("toolTimeoutMs", `is cut to bridge.maxTimeoutMs, ${bridge.maxTimeoutMs}`));
    return warnings;
  });
}

/** Warnings about the main file beside those about its servers. */
export function warnMain(document: Document, { bridge, llm }: MainFile): Problem[] {
  const isCut = bridge.defaultTimeoutMs !== undefined && bridge.defaultTimeoutMs > bridge.maxTimeoutMs;
  const isReadable = ({ baseUrl, apiKey }: TierEntry) => apiKey !== undefined && /^http:/i.test(baseUrl) && !isSecure(baseUrl);
  return [
    ...(isCut ? [problemAt(document, ["bridge", "defaultTimeoutMs"], `is cut to bridge.maxTimeoutMs, ${bridge.maxTimeoutMs}`)] : []),
    ...Object.entries(llm)
      .filter(([, tier]) => tier && isReadable(tier))
      .map(([name]) => problemAt(document, ["llm", name, "baseUrl"], "is no https address: whoever is on the way can read the key")),
  ];
}
