/** Finds the names in a policy that no tool of their server has, once the tools of that server are known: a slip that would leave something open. */
import { BUILTIN } from "../../actors/address.ts";
import type { Offer } from "../../actors/catalogue.ts";
import { typedPrefix } from "../../actors/naming.ts";
import { subjectOf } from "../../actors/policy/lists.ts";
import type { Policy, PolicyLayer } from "../../events/policy.ts";
import { nearest } from "./suggest.ts";

export interface ServerTools {
  readonly name: string;
  readonly offers: Iterable<Offer>;
}
/** A server without tools was not connected yet. */
interface Known {
  readonly prefixes: readonly string[];
  /** In lower case. */
  readonly names: ReadonlySet<string>;
  readonly typed: readonly string[];
}

/** In sentences, each with its place in the configuration. */
export function unknownTools(policy: Policy, servers: Iterable<ServerTools>): readonly string[] {
  const known = [...servers].flatMap(({ name, offers }): Known[] => {
    const all = [...offers];
    if (name === BUILTIN || all.length === 0) return [];
    const prefixes = [`${name}__`, typedPrefix(name)].map((prefix) => prefix.toLowerCase());
    return [{ prefixes, names: new Set(all.flatMap((offer) => subjectOf(offer).names)), typed: all.map((offer) => offer.name) }];
  });
  if (known.length === 0) return [];
  const written = [
    ...layerNames("policy", policy.global),
    ...policy.rules.map(({ name, tool }) => [`policy.rules ${name}`, tool] as const),
    ...Object.entries(policy.profiles).flatMap(([name, profile]) => layerNames(`profiles.${name}.policy`, profile.policy)),
  ];
  return written.flatMap(([where, entry]) => {
    const said = judged(entry, known);
    return said === undefined ? [] : [`${where}: ${said}`];
  });
}

function judged(entry: string, known: readonly Known[]): string | undefined {
  if (entry.endsWith("*") || entry.startsWith("group:")) return undefined;
  const name = entry.toLowerCase();
  const servers = known.filter(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix)));
  const isThere = ({ names }: Known) => names.has(name) || operationsIn(name).some((tool) => names.has(tool));
  if (servers.length === 0 || servers.some(isThere)) return undefined;
  const close = nearest(
    entry,
    servers.flatMap(({ typed }) => typed),
  );
  return `"${entry}" names no tool that its server has${close === undefined ? "" : `; did you mean "${close}"?`}`;
}

/** What stands before each colon: behind it may be an operation. */
const operationsIn = (name: string): string[] => [...name.matchAll(/:/g)].map(({ index }) => name.slice(0, index));

function layerNames(path: string, { allow, deny, alsoAllow, hardDeny, groups, byClient }: PolicyLayer): (readonly [string, string])[] {
  const lists: Record<string, readonly string[]> = { allow, deny, alsoAllow, hardDeny };
  for (const [name, entries] of Object.entries(groups)) lists[`groups.${name}`] = entries;
  for (const [client, { allow: entries }] of Object.entries(byClient)) lists[`byClient.${client}.allow`] = entries;
  return Object.entries(lists).flatMap(([list, entries]) => entries.map((entry) => [`${path}.${list}`, entry] as const));
}
