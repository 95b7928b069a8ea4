/** Authorization for the conformance client: our own tokens and logins, and a person who goes wherever the login page sends them. */
import { createAsk } from "../../src/auth/ask.ts";
import { logIn } from "../../src/auth/login.ts";
import type { OAuthProfile } from "../../src/auth/profile.ts";
import { createTokenSource } from "../../src/auth/source.ts";
import { storedOf } from "../../src/auth/stored.ts";
import { type Authorization, authorizationRequired } from "../../src/mcp/downstream/authorization.ts";
import { discoverResource } from "../../src/mcp/oauth/discover.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";

/** What a scenario gives away beforehand. */
export interface Given {
  readonly client_id?: string;
  readonly client_secret?: string;
}
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";
const LOGIN_MS = 15_000;

/** Tokens for the server of an `auth/…` scenario, and the way to log in to it. */
export async function authorizationFor(
  scenario: string,
  url: string,
  given: Given,
): Promise<{ authorization: Authorization; logIn: () => Promise<void> }> {
  const common = { name: "conformance", definition: "", scopes: [] };
  const issuer = given.client_secret === undefined ? {} : { issuer: await issuerOf(url) };
  const own = {
    ...(given.client_id !== undefined && { clientId: given.client_id }),
    ...(given.client_secret !== undefined && { clientSecret: given.client_secret }),
    ...(scenario === "auth/basic-cimd" && { clientId: CLIENT_DOCUMENT }),
  };
  const profile: OAuthProfile = scenario.startsWith("auth/client-credentials")
    ? { type: "client_credentials", clientId: "", clientSecret: "", ...common, ...own, ...issuer }
    : { type: "authorization_code", ...common, ...own, ...issuer };
  const store = openSealedStore(":memory:", new Uint8Array(32), Date.now);
  const source = createTokenSource({ store, now: Date.now, onSecrets: () => undefined, onUnstored: console.error });
  return {
    authorization: source.of({ name: "conformance", url }, profile),
    async logIn() {
      if (profile.type === "client_credentials") return;
      const ports = { now: Date.now, show: (page: string) => void fetch(page), signal: AbortSignal.timeout(LOGIN_MS) };
      await logIn(profile, url, storedOf(store, profile, url), ports);
      source.forget();
    },
  };
}

async function issuerOf(url: string): Promise<string> {
  const { authorizationServers } = await discoverResource(url, createAsk({ serverUrl: url, authority: undefined }));
  return authorizationServers[0] ?? new URL(url).origin;
}

/** Does it again after a login, where one was missing; the server may move to another authorization server meanwhile. */
export async function withLogin<T>(logIn: () => Promise<void>, act: () => Promise<T>, logins = 2): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (authorizationRequired(error) === undefined || logins === 0) throw error;
    await logIn();
    return withLogin(logIn, act, logins - 1);
  }
}
