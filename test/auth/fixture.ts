/** What the tests of authorization share: profiles, a store in memory, a clock by hand, and connections that ask for tokens. */
import type { AuthorizationCode, ClientCredentials, Profile } from "../../src/auth/profile.ts";
import { createTokenSource } from "../../src/auth/source.ts";
import { connect } from "../../src/mcp/downstream/connect.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { CLIENT } from "../fixtures/servers/authorization-server.ts";

export const machine = (more: Partial<ClientCredentials> = {}): ClientCredentials => ({
  type: "client_credentials",
  name: "machine",
  definition: "d1",
  scopes: [],
  ...CLIENT,
  ...more,
});
export const person = (more: Partial<AuthorizationCode> = {}): AuthorizationCode => ({
  type: "authorization_code",
  name: "person",
  definition: "d1",
  scopes: [],
  ...more,
});

/** A store in memory, the tokens over it, and everything that they called a secret. */
export function tokens() {
  let now = 1_000_000;
  const secrets = new Set<string>();
  const problems: string[] = [];
  const store = openSealedStore(":memory:", new Uint8Array(32), () => now);
  const source = createTokenSource({
    store,
    now: () => now,
    onSecrets: (_, values) => {
      for (const value of values) secrets.add(value);
    },
    onUnstored: (problem) => problems.push(problem),
  });
  return {
    store,
    problems,
    source,
    secrets,
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
    connect: (url: string, profile: Profile, name = "mail", mode: "streamable-http" | "sse" = "streamable-http") =>
      connect(
        { kind: "http", url, mode, headers: {} },
        {
          clientInfo: { name: "test", version: "1.0.0" },
          events: {
            onClosed: () => undefined,
            onToolsChanged: () => undefined,
            onPromptsChanged: () => undefined,
            onResourcesChanged: () => undefined,
            onResourceUpdated: () => undefined,
          },
          connectTimeoutMs: 10_000,
          environment: {},
          marker: "test",
          authorization: source.of({ name, url }, profile),
        },
      ),
  };
}
