/** A gateway that lists itself would call itself for ever: finds server entries that are this very program. */
import { basename, resolve } from "node:path";
import type { Target } from "../mcp/downstream/downstream.ts";

export interface Self {
  /** Where we listen: the real port, not 0. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Absolute paths of our own binary and main script. */
  readonly commands: readonly string[];
}

const HERE = new Set(["localhost", "127.0.0.1", "::1", "0.0.0.0", "::"]);

/** Why `target` is this program, or undefined when it is not. */
export function whyOurselves(target: Target, { listen, commands }: Self): string | undefined {
  if (target.kind === "http") {
    const url = new URL(target.url);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    const same = host === listen.host || (isHere(host) && isHere(listen.host));
    const path = url.pathname.replace(/\/+$/, "");
    return same && port === listen.port && path === "/mcp"
      ? "its url is this gateway's own /mcp: a gateway cannot serve itself"
      : undefined;
  }
  const words = [target.command, ...target.args];
  const program = words.findIndex((word) => isUs(word, target.cwd ?? ".", commands));
  const serves = program >= 0 && words.slice(program + 1).some((word) => word === "stdio" || word === "serve");
  return serves ? "its command is this gateway itself: a gateway cannot serve itself" : undefined;
}

const isHere = (host: string): boolean => HERE.has(host) || host.startsWith("127.");

const isUs = (word: string, cwd: string, commands: readonly string[]): boolean =>
  /^toolcrib(?:\.exe|@[\w.-]+)?$/i.test(basename(word)) || commands.includes(resolve(cwd, word));
