/** What a login leaves behind, sealed: the tokens, whose they are, and how they are refreshed. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { AuthorizationServer } from "../mcp/oauth/discover.ts";
import type { Client } from "../mcp/oauth/grants.ts";
import type { SealedStore } from "../secrets/sealed.ts";
import type { AuthorizationCode, OAuthProfile } from "./profile.ts";

const KIND = "oauth";

const Login = z.strictObject({
  /** Of the profile when it was logged in with: a changed one needs another login. */
  definition: z.string(),
  issuer: z.string(),
  tokenEndpoint: z.string(),
  authMethods: z.array(z.string()).optional(),
  resource: z.string(),
  scope: z.string().optional(),
  /** Scopes that the server wanted and this login did not bring: the next one asks for them, too. */
  wanted: z.string().optional(),
  /** Where this program registered itself. */
  registration: z
    .strictObject({
      clientId: z.string(),
      clientSecret: z.string().optional(),
      authMethod: z.string().optional(),
    })
    .optional(),
  /** Absent once they are of no use any more. */
  tokens: z
    .strictObject({
      accessToken: z.string(),
      refreshToken: z.string().optional(),
      obtainedAt: z.number(),
      expiresAt: z.number().optional(),
    })
    .optional(),
});
export type Login = z.output<typeof Login>;

/** The logins of one profile at one server. */
export interface Stored {
  /** Undefined also when it was made with another definition of the profile, or cannot be read. */
  read(): Login | undefined;
  write(login: Login): void;
  /** Whether there was one. */
  remove(): boolean;
}

/** Servers share what is stored when they have the same address, or when the profile names the resource. */
export function storedOf(store: SealedStore, profile: OAuthProfile, serverUrl: string): Stored {
  const name = `${profile.name}:${credentialOf(profile, serverUrl)}`;
  return {
    read() {
      const text = store.get(KIND, name);
      const login = text === undefined ? undefined : Login.safeParse(JSON.parse(text)).data;
      return login?.definition === profile.definition ? login : undefined;
    },
    write: (login) => store.put(KIND, name, JSON.stringify(login)),
    remove: () => store.remove(KIND, name),
  };
}

/** A digest, since an address may hold what nobody should read in a list of names. */
export function credentialOf({ resource }: OAuthProfile, serverUrl: string): string {
  const shared = resource ?? serverUrl.replace(/#.*$/, "").replace(/\/+$/, "");
  return createHash("sha256").update(shared).digest("hex").slice(0, 16);
}

/** With whom and as whom a login is refreshed. */
export function partiesOf(login: Login, profile: AuthorizationCode): { readonly server: AuthorizationServer; readonly client: Client } {
  const { issuer, tokenEndpoint, authMethods, registration } = login;
  return {
    server: {
      issuer,
      metadata: {
        issuer,
        authorization_endpoint: tokenEndpoint,
        token_endpoint: tokenEndpoint,
        response_types_supported: [],
        ...(authMethods !== undefined && { token_endpoint_auth_methods_supported: authMethods }),
      },
    },
    client: registration ?? { clientId: profile.clientId ?? "", clientSecret: profile.clientSecret },
  };
}

/** Everything in it that must never be shown. */
export const secretsOf = ({ registration, tokens }: Login): string[] =>
  [registration?.clientSecret, tokens?.accessToken, tokens?.refreshToken].filter((secret) => secret !== undefined);
