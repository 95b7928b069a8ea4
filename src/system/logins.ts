/** With which tokens the daemon reaches downstream servers, and how it takes notice of logins. */
import { createTokenSource } from "../auth/source.ts";
import type { Connections } from "../effects/connections.ts";
import type { Wanted } from "../effects/wanted.ts";
import type { Authorization } from "../mcp/downstream/authorization.ts";
import type { SealedStore } from "../secrets/sealed.ts";
import type { Vault } from "../secrets/vault.ts";

export interface LoginsPorts {
  readonly vault: Pick<Vault, "hold">;
  readonly sealed: SealedStore;
  readonly say: (line: string) => void;
}
export interface Logins {
  /** Undefined for a server without a profile. */
  authorizationOf(wanted: Wanted): Authorization | undefined;
  /** Takes what is stored now, and connects the server and all that share its profile anew. False: there is no such server. */
  reconnect(server: string, connections: Connections): boolean;
}

export function createLogins({ vault, sealed, say }: LoginsPorts): Logins {
  const tokens = createTokenSource({
    store: sealed,
    now: Date.now,
    onSecrets(owner, values) {
      const secrets = values.map((value) => ({ name: `auth ${owner}`, value, family: "oauth" }));
      vault.hold(owner, secrets);
    },
    onUnstored: (problem) => say(`warning: ${problem}`),
  });
  return {
    authorizationOf: ({ name, target, auth }) =>
      auth === undefined || target.kind !== "http" ? undefined : tokens.of({ name, url: target.url }, auth),
    reconnect(server, connections) {
      const profile = connections.of(server)?.wanted.auth?.name;
      const concerned = connections
        .all()
        .map(({ wanted }) => wanted)
        .filter(({ name, auth }) => name.toLowerCase() === server.toLowerCase() || (profile !== undefined && auth?.name === profile));
      tokens.forget();
      for (const { name } of concerned) connections.renew(name);
      return concerned.length > 0;
    },
  };
}
