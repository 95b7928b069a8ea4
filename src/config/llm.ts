/** Tiers of `llm`: their references looked up, their keys collected, and what of them may be written down. */
import type { Endpoint } from "../llm/tiers.ts";
import type { LlmTiers, TierEntry } from "./llm-schema.ts";
import { showPath } from "./problems.ts";
import { fillAt, joined, type Sources, UnresolvedReference } from "./references.ts";
import { type Registered, type Rules, secretsIn } from "./secrets.ts";
import type { Text } from "./texts.ts";

/** The same tiers with every text that may hold references changed. */
export const mapTiers = (llm: LlmTiers, change: (text: Text) => string): LlmTiers =>
  Object.fromEntries(Object.entries(llm).map(([name, entry]) => [name, entry && mapTier(name, entry, change)]));

function mapTier(name: string, entry: TierEntry, change: (text: Text) => string): TierEntry {
  const changed = (key: "baseUrl" | "model" | "apiKey", template: string) => change({ where: showPath(["llm", name, key]), key, template });
  return {
    ...entry,
    baseUrl: changed("baseUrl", entry.baseUrl),
    model: changed("model", entry.model),
    ...(entry.apiKey !== undefined && { apiKey: changed("apiKey", entry.apiKey) }),
  };
}

/** Throws UnresolvedReference, in words that hold no value, when it cannot be used. A key that is empty is none. */
export function resolveTier(
  name: string,
  entry: TierEntry,
  folder: string,
  { sources, rules }: { readonly sources: Sources; readonly rules: Rules },
): Endpoint {
  const secrets: Registered[] = [];
  const always: Rules = { ...rules, register: [...rules.register, "apiKey"] };
  const filled = mapTier(name, entry, (text) => {
    const pieces = fillAt(text, folder, sources);
    secrets.push(...secretsIn(text, pieces, always));
    return joined(pieces).trim();
  });
  const { baseUrl, model, apiKey = "", supportsImageInput } = filled;
  const fail = (key: string, fault: string): never => {
    throw new UnresolvedReference(`${showPath(["llm", name, key])} ${fault}`);
  };
  if (!isAddress(baseUrl)) fail("baseUrl", "has to be an http or https address without a user in it");
  if (model === "") fail("model", "is empty");
  if (/[^\x20-\x7e]/.test(apiKey)) fail("apiKey", "holds a character that cannot be sent: only printable ASCII can");
  return { baseUrl, model, ...(apiKey !== "" && { apiKey }), supportsImageInput, secrets };
}

function isAddress(written: string): boolean {
  const url = URL.parse(written);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
