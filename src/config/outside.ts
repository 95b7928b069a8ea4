/** What hooks run or ask and whom webhooks tell, with the references in it looked up. */
import { hookKey } from "../../actors/gates/hook.ts";
import { type HookEntry, hookDigest } from "./hook-schema.ts";
import { mapHook, mapWebhook } from "./outside-texts.ts";
import { fillAt, joined, type Sources, UnresolvedReference } from "./references.ts";
import type { Config } from "./schema.ts";
import { type Registered, type Rules, secretsIn } from "./secrets.ts";
import type { Text } from "./texts.ts";

/** What is wrong, in words that hold no value. */
export interface Unusable {
  readonly unusable: string;
}
export interface Outside {
  /** By `hookKey`, without those that are switched off. */
  readonly hooks: ReadonlyMap<string, Pick<HookEntry, "command" | "url"> | Unusable>;
  /** The addresses by profile; "" is what holds for the others. */
  readonly webhooks: ReadonlyMap<string, string | Unusable>;
  readonly registered: readonly Registered[];
  /** By its path, what cannot be used, and why. */
  readonly off: Readonly<Record<string, string>>;
}

/** Relative paths start at `folder`. What is wrong with one leaves the others alone. */
export function outsideOf(
  { hooks, approvals, profiles }: Pick<Config, "hooks" | "approvals" | "profiles">,
  folder: string,
  { sources, rules }: { readonly sources: Sources; readonly rules: Rules },
): Outside {
  const registered: Registered[] = [];
  const off: Record<string, string> = {};
  const fill = (text: Text): string => {
    const pieces = fillAt(text, folder, sources);
    registered.push(...secretsIn(text, pieces, rules));
    return joined(pieces);
  };
  const tried = <T>(what: string, make: () => T): T | Unusable => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof UnresolvedReference)) throw error;
      off[what] = error.message;
      return { unusable: error.message };
    }
  };
  const ofKind = (kind: keyof Config["hooks"]) =>
    hooks[kind].flatMap((entry, i) => {
      if (!entry.enabled) return [];
      const target = tried(`hooks.${kind}[${i}]`, () => usable(mapHook(["hooks", kind, i], entry, fill), `hooks.${kind}[${i}]`));
      return [[hookKey({ name: entry.name, digest: hookDigest(entry) }), target] as const];
    });
  const ofProfiles = Object.entries(profiles).map(([name, { approvals: own }]) => [name, ["profiles", name, "approvals"], own] as const);
  const webhooks = [["", ["approvals"], approvals] as const, ...ofProfiles].flatMap(([name, path, of]) => {
    if (of?.webhook === undefined) return [];
    const where = [...path, "webhook"].join(".");
    return [[name, tried(where, () => addressIn(mapWebhook(path, of, fill).webhook ?? "", where))] as const];
  });
  return { hooks: new Map([...ofKind("preToolUse"), ...ofKind("postToolUse")]), webhooks: new Map(webhooks), registered, off };
}

function usable({ command, url }: HookEntry, where: string): Pick<HookEntry, "command" | "url"> {
  if (url !== undefined) return { url: addressIn(url, `${where}.url`) };
  if (command?.[0]?.trim() === "") throw new UnresolvedReference(`${where}.command: the program has no name`);
  if (command?.some((text) => text.includes("\0"))) throw new UnresolvedReference(`${where}.command holds a NUL character`);
  return { command };
}

function addressIn(written: string, where: string): string {
  const address = written.trim();
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? "")) throw new UnresolvedReference(`${where} is not an http or https address`);
  return address;
}
