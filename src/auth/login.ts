/** Authorization code with PKCE: finds the authorization server, shows where a person has to go, and stores what comes of it. */
import { randomBytes } from "node:crypto";
import { type AuthorizationServer, discoverAuthorizationServer, discoverResource } from "../mcp/oauth/discover.ts";
import { authorizationUrl, type Client, checkIssuer, exchangeCode, registered } from "../mcp/oauth/grants.ts";
import { explain, OAuthProblem, wordOf } from "../mcp/oauth/problem.ts";
import { isSecure } from "./address.ts";
import { createAsk } from "./ask.ts";
import { whyNotFor } from "./audience.ts";
import { listenForRedirect, type Redirect } from "./loopback.ts";
import type { AuthorizationCode } from "./profile.ts";
import { tokensIn } from "./renew.ts";
import type { Login, Stored } from "./stored.ts";

export interface LoginPorts {
  readonly now: () => number;
  /** Shows the address that the person has to open, and the port to which the browser comes back. */
  readonly show: (url: string, port: number) => void;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** Stores the login and returns it. Throws an Error that says what happened in our words. */
export async function logIn(
  profile: AuthorizationCode,
  serverUrl: string,
  stored: Stored,
  { now, show, signal }: LoginPorts,
): Promise<Login> {
  const ask = createAsk({ serverUrl, authority: profile.issuer }, signal);
  const state = randomBytes(32).toString("base64url");
  const found = await step("the server", () => discoverResource(serverUrl, ask));
  const resource = profile.resource ?? found.resource;
  const issuer = issuerOf(profile, found.authorizationServers, serverUrl);
  const place = `the authorization server ${new URL(issuer).origin}`;
  const server = await step(place, () => discoverAuthorizationServer(issuer, ask));
  const wanted = stored.read()?.wanted;
  const scope = scopeOf(profile, [found.scope, wanted].join(" "), server);

  const loopback = listen(profile.redirectPort ?? 0, state);
  const { redirectUri } = loopback;
  try {
    const registration =
      profile.clientId === undefined ? await step(place, () => registered(server, { redirectUri, scope }, ask)) : undefined;
    const client: Client = registration ?? { clientId: profile.clientId ?? "", clientSecret: profile.clientSecret };
    const { url, verifier } = await step(place, () => authorizationUrl({ server, client, resource }, { redirectUri, state, scope }));
    if (!isSecure(url)) throw new Error(`${place}: its login page is not at an https address, so it is not shown`);
    show(url, Number(new URL(redirectUri).port));
    const redirect = await orGivenUp(loopback.redirect, signal);
    const tokens = await step(place, () =>
      exchangeCode({ server, client, resource, ask }, { ...accepted(redirect, server), verifier, redirectUri }),
    );
    const wrong = whyNotFor(tokens.accessToken, resource, profile.audience);
    if (wrong !== undefined) throw new Error(`${place}: ${wrong}`);
    const { token_endpoint, token_endpoint_auth_methods_supported: authMethods } = server.metadata;
    const granted = tokens.scope ?? scope;
    const login: Login = {
      definition: profile.definition,
      issuer: server.issuer,
      tokenEndpoint: token_endpoint,
      resource,
      ...(authMethods !== undefined && { authMethods }),
      ...(granted !== undefined && { scope: granted }),
      ...(wanted !== undefined && { wanted }),
      ...(registration !== undefined && { registration }),
      tokens: tokensIn(tokens, now()),
    };
    stored.write(login);
    return login;
  } finally {
    await loopback.stop();
  }
}

async function step<T>(place: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new Error(`${place}: ${explain(error).why}`);
  }
}

/** The profile's word; else the first one that the server names; else the server itself, as before 2025-06-18. */
function issuerOf({ issuer }: AuthorizationCode, named: readonly string[], serverUrl: string): string {
  const bare = (address: string) => address.replace(/\/$/, "");
  if (issuer === undefined) return named[0] ?? new URL(serverUrl).origin;
  if (named.length > 0 && !named.some((one) => bare(one) === bare(issuer)))
    throw new Error(`the server accepts no tokens of ${issuer}: it names other authorization servers`);
  return issuer;
}

/** What the profile says, else what the server asks for, now and earlier; with a refresh token where there may be one. */
function scopeOf({ scopes }: AuthorizationCode, asked: string, { metadata }: AuthorizationServer): string | undefined {
  const wanted = scopes.length > 0 ? [...scopes] : [...new Set(asked.split(/\s+/).filter((scope) => scope !== ""))];
  const offline = "offline_access";
  const isOffered = metadata.scopes_supported?.includes(offline) === true;
  const all = isOffered && wanted.length > 0 && !wanted.includes(offline) ? [...wanted, offline] : wanted;
  return all.length === 0 ? undefined : all.join(" ");
}

function listen(port: number, state: string) {
  try {
    return listenForRedirect(port, state);
  } catch (error) {
    throw new Error(`port ${port} of 127.0.0.1 cannot be listened on: free it, or change redirectPort of the profile`, { cause: error });
  }
}

/** The issuer first: what somebody else says, an error too, is not for us. */
function accepted(
  { code, error, iss }: Redirect,
  server: AuthorizationServer,
): { readonly code: string; readonly iss: string | undefined } {
  checkIssuer(server, iss);
  if (code === undefined || error !== undefined) throw new OAuthProblem(`it did not grant access (${wordOf(error ?? "")})`, true);
  return { code, iss };
}

async function orGivenUp<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error("nobody logged in within the time that was given"));
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([promise, givenUp]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
