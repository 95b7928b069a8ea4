/** Tokens for what one has: a code, a refresh token, a client's own credentials. And a client, where there is none. */
import {
  ClientCredentialsProvider,
  exchangeAuthorization,
  fetchToken,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import type { Fetch } from "../downstream/fetch.ts";
import type { AuthorizationServer } from "./discover.ts";
import { OAuthProblem } from "./problem.ts";

export interface Client {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** As the authorization server registered it. */
  readonly authMethod?: string | undefined;
}
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Seconds. */
  readonly expiresIn?: number;
  /** What was granted, when that differs from what was asked. */
  readonly scope?: string;
}
/** For every request that ends in tokens. All of them throw what `explain` understands. */
export interface GrantPorts {
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly resource: string;
  readonly ask: Fetch;
}

const informationOf = ({ clientId, clientSecret, authMethod }: Client): OAuthClientInformationMixed => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
  ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
});

/** Where the person has to go, and the verifier that only we know (PKCE with S256; a server without it is refused). */
export async function authorizationUrl(
  { server, client, resource }: Omit<GrantPorts, "ask">,
  request: { readonly redirectUri: string; readonly state: string; readonly scope?: string | undefined },
): Promise<{ readonly url: string; readonly verifier: string }> {
  const { metadata } = server;
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
    throw new OAuthProblem("it does not offer PKCE with S256, without which a code could be stolen", true);
  if (!metadata.response_types_supported.includes("code")) throw new OAuthProblem("it does not hand out codes", true);
  const { authorizationUrl: url, codeVerifier: verifier } = await startAuthorization(server.issuer, {
    metadata,
    clientInformation: informationOf(client),
    redirectUrl: request.redirectUri,
    state: request.state,
    resource,
    ...(request.scope !== undefined && { scope: request.scope }),
  });
  return { url: url.href, verifier };
}

/** RFC 9207. Throws when the answer on the redirect comes from somebody else. */
export function checkIssuer({ metadata }: AuthorizationServer, iss: string | undefined): void {
  const issParameterSupported = metadata.authorization_response_iss_parameter_supported === true;
  validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata.issuer, issParameterSupported });
}

export async function exchangeCode(
  { server, client, resource, ask }: GrantPorts,
  answer: { readonly code: string; readonly iss: string | undefined; readonly verifier: string; readonly redirectUri: string },
): Promise<Tokens> {
  return tokensOf(
    await exchangeAuthorization(server.issuer, {
      metadata: server.metadata,
      clientInformation: informationOf(client),
      authorizationCode: answer.code,
      codeVerifier: answer.verifier,
      redirectUri: answer.redirectUri,
      resource,
      fetchFn: ask,
      ...(answer.iss !== undefined && { iss: answer.iss }),
    }),
  );
}

/** The refresh token of the answer is the one to use next; where it has none, the old one still is. */
export async function refreshTokens({ server, client, resource, ask }: GrantPorts, refreshToken: string): Promise<Tokens> {
  return tokensOf(
    await refreshAuthorization(server.issuer, {
      metadata: server.metadata,
      clientInformation: informationOf(client),
      refreshToken,
      resource,
      fetchFn: ask,
    }),
  );
}

export async function clientCredentials(
  { server, client, resource, ask }: GrantPorts,
  request: { readonly scope?: string | undefined; readonly audience?: string | undefined },
): Promise<Tokens> {
  const { clientId, clientSecret = "" } = client;
  const provider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: server.issuer });
  const withAudience = Object.assign(provider, {
    prepareTokenRequest: () =>
      new URLSearchParams({
        grant_type: "client_credentials",
        ...(request.scope !== undefined && { scope: request.scope }),
        ...(request.audience !== undefined && { audience: request.audience }),
      }),
  });
  const { metadata } = server;
  return tokensOf(await fetchToken(withAudience, server.issuer, { metadata, resource, fetchFn: ask }));
}

function tokensOf({ access_token, token_type, refresh_token, expires_in, scope }: OAuthTokens): Tokens {
  if (token_type.toLowerCase() !== "bearer") throw new OAuthProblem("its token is of another kind than Bearer", true);
  if (!/^[\x21-\x7e]+$/.test(access_token)) throw new OAuthProblem("its token cannot be sent in a header", true);
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(expires_in !== undefined && { expiresIn: expires_in }),
    ...(scope !== undefined && { scope }),
  };
}

/** Registers this program (RFC 7591) with one redirect address. Throws an OAuthProblem where that is not offered. */
export async function registered(
  { metadata, issuer }: AuthorizationServer,
  request: { readonly redirectUri: string; readonly scope?: string | undefined },
  ask: Fetch,
): Promise<Client> {
  if (metadata.registration_endpoint === undefined)
    throw new OAuthProblem("it does not register clients by itself: register one there, and name its clientId in the profile", true);
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["none"];
  const method = ["none", "client_secret_basic", "client_secret_post"].find((known) => methods.includes(known)) ?? "none";
  const made = await registerClient(issuer, {
    metadata,
    clientMetadata: {
      client_name: "toolcrib",
      application_type: "native",
      redirect_uris: [request.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: method,
    },
    fetchFn: ask,
    ...(request.scope !== undefined && { scope: request.scope }),
  });
  return { clientId: made.client_id, clientSecret: made.client_secret, authMethod: made.token_endpoint_auth_method ?? method };
}
