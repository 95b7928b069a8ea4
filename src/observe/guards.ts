/** Guards over arguments, by the name of their handler: configuration never names code. What cannot be judged is refused. */
import { type PathPrefix, pathPrefixFault, pathPrefixOptions } from "./path-prefix.ts";

type Arguments = Readonly<Record<string, unknown>>;
export interface GuardEntry {
  readonly handler: string;
  /** Tools it is for, without regard to case; empty: all. */
  readonly tools: readonly string[];
  readonly options: Arguments;
}

interface Handler {
  /** What is wrong with the options, if anything. */
  readonly check: (options: Arguments) => string | undefined;
  /** Why the arguments are refused. */
  readonly judge: (options: Arguments, args: Arguments) => string | undefined;
}

const handlers: Readonly<Record<string, Handler>> = {
  "path-prefix": {
    check: (options) => {
      const read = pathPrefixOptions(options);
      return "fault" in read ? read.fault : undefined;
    },
    judge: (options, args) => {
      const read = pathPrefixOptions(options);
      return "fault" in read ? read.fault : pathPrefixFault(read satisfies PathPrefix, args);
    },
  },
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
      const reason = found.judge(options, args);
      if (reason !== undefined) return { rule, reason };
    } catch {
      return { rule, reason: "it cannot be checked, so it is blocked" };
    }
  }
  return undefined;
}
