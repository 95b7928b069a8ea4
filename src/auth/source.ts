/** The tokens of all servers that have a profile: one credential for each profile and resource, whoever uses it. */
import { type Authorization, AuthorizationRequired } from "../mcp/downstream/authorization.ts";
import { NotSentError } from "../mcp/downstream/call-outcome.ts";
import type { SealedStore } from "../secrets/sealed.ts";
import { type Credential, createCredential, type Obtained } from "./credential.ts";
import type { OAuthProfile, Profile } from "./profile.ts";
import { renewClientCredentials, renewLogin } from "./renew.ts";
import { credentialOf, type Login, type Stored, secretsOf, storedOf } from "./stored.ts";

export interface TokenSourcePorts {
  readonly store: SealedStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of every secret of a credential before it is used; `owner` is the same for those that follow each other. */
  readonly onSecrets: (owner: string, secrets: readonly string[]) => void;
  readonly onUnstored: (problem: string) => void;
}
export interface TokenSource {
  /** What a connection to this server asks for its tokens. */
  of(server: { readonly name: string; readonly url: string }, profile: Profile): Authorization;
  /** Somebody logged in or out: what is stored counts. */
  forget(): void;
}

export function createTokenSource({ store, now, onSecrets, onUnstored }: TokenSourcePorts): TokenSource {
  const credentials = new Map<string, { readonly profile: string; readonly credential: Credential }>();

  const made = (profile: OAuthProfile, serverUrl: string, owner: string): Credential => {
    const ports = { serverUrl, now, onSecrets: (secrets: readonly string[]) => onSecrets(owner, secrets), onUnstored };
    if (profile.type === "client_credentials")
      return createCredential({ now, load: () => undefined, renew: renewClientCredentials(profile, ports) });
    const stored = storedOf(store, profile, serverUrl);
    const load = (): Login["tokens"] => {
      const login = stored.read();
      if (login !== undefined) onSecrets(owner, secretsOf(login));
      return login?.tokens;
    };
    return createCredential({ now, load, renew: renewLogin(profile, stored, ports) });
  };
  const credentialFor = (profile: OAuthProfile, serverUrl: string): Credential => {
    const owner = `${profile.name}:${credentialOf(profile, serverUrl)}`;
    const text = JSON.stringify(profile);
    const known = credentials.get(owner);
    if (known?.profile === text) return known.credential;
    const credential = made(profile, serverUrl, owner);
    credentials.set(owner, { profile: text, credential });
    return credential;
  };

  return {
    of({ name, url }, profile) {
      if (profile.type === "bearer") return fixed(profile.name, profile.token);
      const credential = credentialFor(profile, url);
      return {
        token: async (refused) => tokenOf(await credential.token(refused), remedyFor(name, profile)),
        insufficient(scope) {
          if (profile.type !== "authorization_code" || profile.scopes.length > 0)
            return `the server asks for more scopes than the profile ${profile.name} has: add them under auth`;
          want(storedOf(store, profile, url), scope);
          return `the server asks for more than the login granted: ${remedyFor(name, profile)}`;
        },
      };
    },
    forget() {
      for (const { credential } of credentials.values()) credential.forget();
    },
  };
}

const fixed = (profile: string, token: string): Authorization => ({
  async token(refused) {
    if (refused !== token) return token;
    throw new AuthorizationRequired(`the server refuses the token of the profile ${profile}: put a valid one there`);
  },
  insufficient: () => `the server asks for more than the token of the profile ${profile} grants: put another one there`,
});

/** A scope as it may be asked for; a server could write anything. */
const SCOPE = /^[!#-[\]-~]{1,200}$/;
const MOST_WANTED = 50;

function want(stored: Stored, scope: string | undefined): void {
  const login = stored.read();
  if (login === undefined || scope === undefined) return;
  const all = new Set([...(login.wanted?.split(" ") ?? []), ...scope.split(/\s+/)].filter((one) => SCOPE.test(one)));
  const wanted = [...all].slice(0, MOST_WANTED).join(" ");
  if (wanted !== "" && wanted !== login.wanted) stored.write({ ...login, wanted });
}

function remedyFor(server: string, profile: OAuthProfile): string {
  return profile.type === "authorization_code" ? `run "toolcrib auth login ${server}"` : `correct the profile ${profile.name} under auth`;
}

function tokenOf(obtained: Obtained, remedy: string): string {
  if (obtained.ok) return obtained.token;
  if (obtained.lasting) throw new AuthorizationRequired(`${obtained.why}: ${remedy}`);
  throw new NotSentError(obtained.why);
}
