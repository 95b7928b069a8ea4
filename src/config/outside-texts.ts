/** Walks the texts that say what hooks run or ask and whom webhooks tell: they may hold references and secrets. */
import type { HookEntry } from "./hook-schema.ts";
import { type KeyPath, showPath } from "./problems.ts";
import type { Config } from "./schema.ts";
import { mapArguments, type Text } from "./texts.ts";

type Change = (text: Text) => string;
type Reaching = Pick<Config, "hooks" | "approvals" | "profiles">;

/** The same hook with its command or address changed text by text; `path` is where it stands. */
export function mapHook(path: KeyPath, entry: HookEntry, change: Change): HookEntry {
  const { command, url } = entry;
  return {
    ...entry,
    ...(command && { command: mapArguments([...path, "command"], command, change) }),
    ...(url !== undefined && { url: change({ where: showPath([...path, "url"]), key: "", template: url }) }),
  };
}

/** The same approvals with their webhook changed. */
export function mapWebhook<T extends { webhook?: string | undefined }>(path: KeyPath, approvals: T, change: Change): T {
  const { webhook } = approvals;
  if (webhook === undefined) return approvals;
  return { ...approvals, webhook: change({ where: showPath([...path, "webhook"]), key: "", template: webhook }) };
}

/** All of them. */
export function mapOutside({ hooks, approvals, profiles }: Reaching, change: Change): Reaching {
  const hooksOf = (kind: keyof Config["hooks"]) => hooks[kind].map((entry, i) => mapHook(["hooks", kind, i], entry, change));
  const changed = Object.entries(profiles).map(([name, profile]) => [
    name,
    profile.approvals === undefined
      ? profile
      : { ...profile, approvals: mapWebhook(["profiles", name, "approvals"], profile.approvals, change) },
  ]);
  return {
    hooks: { preToolUse: hooksOf("preToolUse"), postToolUse: hooksOf("postToolUse") },
    approvals: mapWebhook(["approvals"], approvals, change),
    profiles: Object.fromEntries(changed),
  };
}
