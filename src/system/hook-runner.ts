/** Runs hooks as the configuration in force says: a program with what child servers may see of our environment, or an address behind the guard. */
import { hookKey } from "../../actors/gates/hook.ts";
import type { Outside } from "../config/outside.ts";
import { runHookCommand } from "../effects/hook-command.ts";
import { runHookHttp } from "../effects/hook-http.ts";
import type { RunHook } from "../effects/hook-reply.ts";
import { childEnvironment } from "../mcp/downstream/environment.ts";
import { resolveName } from "../net/guard.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { DEPTH_VARIABLE } from "../observe/hook-depth.ts";

export interface HookRunnerPorts {
  /** What the hooks in force come to. */
  readonly outside: () => Pick<Outside, "hooks">;
  /** Whether they may ask addresses inside. */
  readonly allowPrivate: () => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By which a later start knows the children of this one. */
  readonly marker: string;
}

export function createHookRunner({ outside, allowPrivate, environment, marker }: HookRunnerPorts): RunHook {
  const fetch = createGuardedFetch({ resolve: resolveName, allowPrivate });
  return async (hook, input, signal, pass) => {
    const target = outside().hooks.get(hookKey(hook));
    if (target && "unusable" in target) return { kind: "unusable", reason: target.unusable };
    if (target?.command)
      return runHookCommand(target.command, childEnvironment(environment, { [DEPTH_VARIABLE]: pass }, marker), input, signal);
    if (target?.url !== undefined) return runHookHttp(fetch, target.url, input, signal, pass);
    return { kind: "failed", reason: "the configuration has just changed" };
  };
}
