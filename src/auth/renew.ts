/** How the two kinds of OAuth profile come to another token. */
import { codeOf } from "../log/failure.ts";
import type { Fetch } from "../mcp/downstream/fetch.ts";
import { type AuthorizationServer, discoverAuthorizationServer, discoverResource, serverWithTokenUrl } from "../mcp/oauth/discover.ts";
import { clientCredentials, refreshTokens, type Tokens } from "../mcp/oauth/grants.ts";
import { explain } from "../mcp/oauth/problem.ts";
import { createAsk } from "./ask.ts";
import { whyNotFor } from "./audience.ts";
import type { CredentialPorts, Refusal } from "./credential.ts";
import type { AuthorizationCode, ClientCredentials } from "./profile.ts";
import { type Login, partiesOf, type Stored, secretsOf } from "./stored.ts";

export interface RenewPorts {
  readonly serverUrl: string;
  readonly now: () => number;
  /** Told of every secret before it is used. */
  readonly onSecrets: (secrets: readonly string[]) => void;
  /** Told when tokens could not be stored: they hold until the process ends. */
  readonly onUnstored: (problem: string) => void;
}
const refused = (why: string, lasting: boolean): Refusal => ({ ok: false, why, lasting });
const failed = (issuer: string, error: unknown): Refusal => {
  const { why, lasting } = explain(error);
  return refused(`the authorization server ${new URL(issuer).origin}: ${why}`, lasting);
};

/** Asks for a token of its own; nothing of it is stored. */
export function renewClientCredentials(profile: ClientCredentials, { serverUrl, now, onSecrets }: RenewPorts): CredentialPorts["renew"] {
  const { issuer, tokenUrl = "", clientId, clientSecret, audience, scopes } = profile;
  const authority = issuer ?? tokenUrl;
  const ask = createAsk({ serverUrl, authority });
  let known: { readonly server: AuthorizationServer; readonly resource: string; readonly scope: string | undefined } | undefined;
  return async () => {
    try {
      known ??= {
        server: issuer === undefined ? serverWithTokenUrl(tokenUrl) : await discoverAuthorizationServer(issuer, ask),
        ...(await resourceOf(profile, serverUrl, ask)),
      };
      const { server, resource } = known;
      const scope = scopes.length > 0 ? scopes.join(" ") : known.scope;
      const tokens = await clientCredentials({ server, client: { clientId, clientSecret }, resource, ask }, { scope, audience });
      onSecrets([tokens.accessToken]);
      const wrong = whyNotFor(tokens.accessToken, resource, audience);
      if (wrong !== undefined) return refused(wrong, true);
      return { ok: true, grant: tokensIn(tokens, now()) };
    } catch (error) {
      known = undefined; // it may have moved
      return failed(authority, error);
    }
  };
}

/** What tokens are asked for: the profile's word, else the server's, which need not be there. */
async function resourceOf({ resource }: ClientCredentials, serverUrl: string, ask: Fetch) {
  if (resource !== undefined) return { resource, scope: undefined };
  const found = await discoverResource(serverUrl, ask);
  return { resource: found.resource, scope: found.scope };
}

/** Refreshes what a login left. Whoever logs in or out meanwhile wins. */
export function renewLogin(
  profile: AuthorizationCode,
  stored: Stored,
  { serverUrl, now, onSecrets, onUnstored }: RenewPorts,
): CredentialPorts["renew"] {
  /** The authorization server has given them: they count, also when the disk is full. */
  const keep = (login: Login) => {
    try {
      stored.write(login);
    } catch (error) {
      onUnstored(
        `the tokens of the profile ${profile.name} could not be stored (${codeOf(error)}): after a restart another login is needed`,
      );
    }
  };
  return async () => {
    const login = stored.read();
    const refreshToken = login?.tokens?.refreshToken;
    if (login?.tokens === undefined) return refused(login === undefined ? "nobody has logged in" : "its login is over", true);
    if (refreshToken === undefined) return refused("its token is not valid any more and cannot be refreshed", true);
    onSecrets(secretsOf(login));
    const { resource, issuer } = login;
    try {
      const ask = createAsk({ serverUrl, authority: profile.issuer });
      const tokens = await refreshTokens({ ...partiesOf(login, profile), resource, ask }, refreshToken);
      const next: Login = { ...login, tokens: tokensIn(tokens, now(), refreshToken) };
      onSecrets(secretsOf(next));
      const current = stored.read()?.tokens;
      if (current === undefined) return refused("nobody is logged in any more", true);
      if (current.refreshToken !== refreshToken) return { ok: true, grant: current };
      const wrong = whyNotFor(tokens.accessToken, resource, profile.audience);
      if (wrong !== undefined) return refused(wrong, true);
      keep(next);
      return { ok: true, grant: tokensIn(tokens, now(), refreshToken) };
    } catch (error) {
      const { tokens: _, ...rest } = login;
      if (explain(error).isVoid && stored.read()?.tokens?.refreshToken === refreshToken) keep(rest);
      return failed(issuer, error);
    }
  };
}

/** Ten years: beyond it a time could not be told any more. */
const LONGEST_LIFE_S = 315_360_000;

/** As they are kept; the old refresh token goes on where no new one came. */
export function tokensIn({ accessToken, refreshToken, expiresIn }: Tokens, now: number, before?: string): NonNullable<Login["tokens"]> {
  const next = refreshToken ?? before;
  return {
    accessToken,
    obtainedAt: now,
    ...(next !== undefined && { refreshToken: next }),
    ...(expiresIn !== undefined && { expiresAt: now + Math.min(Math.max(expiresIn, 0), LONGEST_LIFE_S) * 1000 }),
  };
}
