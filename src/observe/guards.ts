/** Guards over arguments, by the name of their handler: configuration never names code. What cannot be judged is refused. */
import { pathPrefixFault, pathPrefixOptions } from "./path-prefix.ts";
import { shellCommandFault, shellCommandOptions } from "./shell-command.ts";

type Arguments = Readonly<Record<string, unknown>>;
export interface GuardEntry {
  readonly handler: string;
  /** Tools it is for, without regard to case; empty: all. */
  readonly tools: readonly string[];
  readonly options: Arguments;
}

interface Refused {
  readonly reason: string;
  /** Which of the handler's rules it was, for the log. */
  readonly about?: string;
}
interface Handler {
  /** What is wrong with the options, if anything. */
  readonly check: (options: Arguments) => string | undefined;
  /** Why the arguments are refused. */
  readonly judge: (options: Arguments, args: Arguments) => Refused | undefined;
}

/** A handler of two functions: one that reads its options, one that judges by what was read. */
const handlerOf = <T extends object>(
  read: (options: Arguments) => T | { readonly fault: string },
  judge: (by: T, args: Arguments) => Refused | undefined,
): Handler => ({
  check: (options) => {
    const by = read(options);
    return "fault" in by ? by.fault : undefined;
  },
  judge: (options, args) => {
    const by = read(options);
    return "fault" in by ? { reason: by.fault } : judge(by, args);
  },
});

const handlers: Readonly<Record<string, Handler>> = {
  "path-prefix": handlerOf(pathPrefixOptions, (by, args) => {
    const reason = pathPrefixFault(by, args);
    return reason === undefined ? undefined : { reason };
  }),
  "shell-command": handlerOf(shellCommandOptions, shellCommandFault),
};

/** Why a server with these guards cannot be used; undefined when it can. */
export function guardFault(guards: readonly GuardEntry[]): string | undefined {
  for (const { handler, options } of guards) {
    const found = Object.hasOwn(handlers, handler) ? handlers[handler] : undefined;
    if (!found) return `its guard "${handler}" is not known; known: ${Object.keys(handlers).join(", ")}`;
    const fault = found.check(options);
    if (fault !== undefined) return `its guard "${handler}": ${fault}`;
  }
  return undefined;
}

/** The first guard that says no. */
export function guardVerdict(guards: readonly GuardEntry[], tool: string, args: Arguments): { rule: string; reason: string } | undefined {
  for (const { handler, tools, options } of guards) {
    if (tools.length > 0 && !tools.some((name) => name.toLowerCase() === tool.toLowerCase())) continue;
    const rule = `guard:${handler}`;
    const found = Object.hasOwn(handlers, handler) ? handlers[handler] : undefined;
    if (!found) return { rule, reason: "it cannot be checked, so it is blocked; the operator sees why" };
    try {
      const refused = found.judge(options, args);
      if (refused) return { rule: refused.about === undefined ? rule : `${rule}:${refused.about}`, reason: refused.reason };
    } catch {
      return { rule, reason: "it cannot be checked, so it is blocked" };
    }
  }
  return undefined;
}
