/** What the schema cannot say of `auth`: every profile that a server names exists, and nothing beside it is meant to be a token. */
import { isSecure } from "../auth/address.ts";
import type { AuthEntry } from "./auth-schema.ts";
import type { ServersIn } from "./checks.ts";
import { type Problem, showPath } from "./problems.ts";
import { didYouMean } from "./suggest.ts";

/** Servers whose profile is not there. */
export function checkAuth(sources: readonly ServersIn[], profiles: Readonly<Record<string, AuthEntry>>): Problem[] {
  const known = Object.keys(profiles);
  const hintFor = (name: string) =>
    didYouMean(name, known) ?? (known.length === 0 ? "there is none under auth" : `known: ${known.join(", ")}`);
  return sources.flatMap(({ document, servers }) =>
    Object.entries(servers).flatMap(([name, entry]) => {
      if (entry.kind !== "http" || entry.auth === undefined || Object.hasOwn(profiles, entry.auth)) return [];
      const path = ["mcpServers", name, "auth"];
      return [{ ...document.place(path), path: showPath(path), message: "there is no such profile", hint: hintFor(entry.auth) }];
    }),
  );
}

/** An `Authorization` header that is not sent; a token that others can read on its way. */
export function warnAuth({ document, servers }: ServersIn): Problem[] {
  return Object.entries(servers).flatMap(([name, entry]) => {
    if (entry.kind !== "http" || entry.auth === undefined) return [];
    const warn = (keys: readonly string[], message: string): Problem => {
      const path = ["mcpServers", name, ...keys];
      return { ...document.place(path), path: showPath(path), message };
    };
    const ignored = Object.keys(entry.headers)
      .filter(isAuthorization)
      .map((header) => warn(["headers", header], "is ignored: the profile in auth says what is sent"));
    const isOpen = /^http:/i.test(entry.url) && !isSecure(entry.url);
    return isOpen ? [...ignored, warn(["url"], "is not https: whoever is on the way can read the token")] : ignored;
  });
}

export const isAuthorization = (header: string): boolean => header.toLowerCase() === "authorization";
