/** For whom a token is, where that can be seen: a token made for another service is not shown to this one. */
import { covers } from "../mcp/oauth/discover.ts";

/** Addresses and ids; other texts of a token are nobody's to read. */
const SHOWN = /^[\w:/.@~-]{1,200}$/;

/** In words, why the token is not for `resource` (or `audience`, when the profile names one); undefined when it is, or when it does not say. */
export function whyNotFor(token: string, resource: string, audience: string | undefined): string | undefined {
  const named = audienceOf(token);
  if (named === undefined) return undefined;
  const isRight = audience === undefined ? named.some((one) => covers(one, resource)) : named.includes(audience);
  if (isRight) return undefined;
  const shown = named.filter((one) => SHOWN.test(one)).join(" and ");
  const wanted = audience ?? resource;
  return `the token is for ${shown === "" ? "somebody else" : shown}, not for ${wanted} (if both are this server, name the first as "audience" of the profile)`;
}

/** The `aud` of a JWT; undefined for opaque tokens and those without one. Nothing is verified: that is the server's part. */
function audienceOf(token: string): readonly string[] | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
    if (typeof claims !== "object" || claims === null || !("aud" in claims)) return undefined;
    const { aud } = claims;
    if (typeof aud === "string") return [aud];
    return Array.isArray(aud) ? aud.filter((one) => typeof one === "string") : undefined;
  } catch {
    return undefined;
  }
}
