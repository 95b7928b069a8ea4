/** Finds out for whom tokens of a server are (RFC 9728), and how its authorization server is asked (RFC 8414, OpenID Connect Discovery). */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import type { Fetch } from "../downstream/fetch.ts";
import { OAuthProblem } from "./problem.ts";

/** What a server says about itself, without a token. */
export interface Resource {
  /** RFC 8707. */
  readonly resource: string;
  /** Issuers. Empty when the server names none. */
  readonly authorizationServers: readonly string[];
  /** The scopes it asks for, as it writes them. */
  readonly scope?: string;
}
/** An authorization server whose metadata names it as it was asked for. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
}

/** Any request will do: the answer 401 says where the metadata stands, and nothing is carried out. */
const PROBE = {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
};

/** Asks the server at `url`. Throws an OAuthProblem when what it says is about another one; rejects like `ask` when it cannot be reached. */
export async function discoverResource(url: string, ask: Fetch): Promise<Resource> {
  const answer = await ask(url, PROBE);
  const challenge = answer.status === 401 ? extractWWWAuthenticateParams(answer) : {};
  const stated = challenge.resourceMetadataUrl;
  if (stated !== undefined && stated.origin !== new URL(url).origin)
    throw new OAuthProblem("the server names metadata at another host than its own", true);
  const metadata = await resourceMetadata(url, stated, ask);
  const own = resourceUrlFromServerUrl(url);
  if (metadata !== undefined && !checkResourceAllowed({ requestedResource: own, configuredResource: metadata.resource }))
    throw new OAuthProblem("the server's metadata is about another resource", true);
  const scope = challenge.scope ?? metadata?.scopes_supported?.join(" ");
  return {
    resource: metadata?.resource ?? own.href,
    authorizationServers: metadata?.authorization_servers ?? [],
    ...(scope !== undefined && { scope }),
  };
}

/** Undefined when it publishes none, or something else in its place. */
async function resourceMetadata(url: string, stated: URL | undefined, ask: Fetch): Promise<OAuthProtectedResourceMetadata | undefined> {
  let isUnreachable = false;
  const noting: Fetch = (address, init) =>
    ask(address, init).catch((error: unknown) => {
      isUnreachable = true;
      throw error;
    });
  try {
    return await discoverOAuthProtectedResourceMetadata(url, stated === undefined ? {} : { resourceMetadataUrl: stated }, noting);
  } catch (error) {
    if (isUnreachable) throw error;
    return undefined;
  }
}

/** Reads the metadata of an issuer. Throws an OAuthProblem when there is none, or when it belongs to another issuer. */
export async function discoverAuthorizationServer(issuer: string, ask: Fetch): Promise<AuthorizationServer> {
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: ask });
  if (metadata === undefined) throw new OAuthProblem("it publishes no authorization server metadata", true);
  return { issuer: metadata.issuer, metadata };
}

/** One of which only the token endpoint is known. */
export const serverWithTokenUrl = (tokenUrl: string): AuthorizationServer => ({
  issuer: tokenUrl,
  metadata: { issuer: tokenUrl, authorization_endpoint: tokenUrl, token_endpoint: tokenUrl, response_types_supported: [] },
});

/** Whether a token for `audience` is one for `resource`: the same, or what it is a part of. */
export function covers(audience: string, resource: string): boolean {
  const bare = (address: string) => address.replace(/\/$/, "");
  if (bare(audience) === bare(resource)) return true;
  if (!URL.canParse(audience) || !URL.canParse(resource)) return false;
  return checkResourceAllowed({ requestedResource: resource, configuredResource: audience });
}
