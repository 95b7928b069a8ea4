/** Runs hooks as the configuration in force says: a program with what child servers may see of our environment, or an address behind the guard. */
import { type HookEntry, hookDigest } from "../config/hook-schema.ts";
import type { Config } from "../config/schema.ts";
import { runHookCommand } from "../effects/hook-command.ts";
import { runHookHttp } from "../effects/hook-http.ts";
import type { RunHook } from "../effects/hook-reply.ts";
import { childEnvironment } from "../mcp/downstream/environment.ts";
import { resolveName } from "../net/guard.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";

export interface HookRunnerPorts {
  readonly config: () => Pick<Config, "hooks" | "bridge">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By which a later start knows the children of this one. */
  readonly marker: string;
}

export function createHookRunner({ config, environment, marker }: HookRunnerPorts): RunHook {
  const fetch = createGuardedFetch({ resolve: resolveName, allowPrivate: () => config().bridge.allowPrivateAddresses });
  return async (hook, input, signal) => {
    const { preToolUse, postToolUse } = config().hooks;
    const isMeant = (entry: HookEntry) => entry.name === hook.name && hookDigest(entry) === hook.digest;
    const entry = [...preToolUse, ...postToolUse].find(isMeant);
    if (entry?.command) return runHookCommand(entry.command, childEnvironment(environment, {}, marker), input, signal);
    if (entry?.url !== undefined) return runHookHttp(fetch, entry.url, input, signal);
    return { kind: "failed", reason: "the configuration has just changed" };
  };
}
