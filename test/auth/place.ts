/** An authorization server, a server that takes its tokens, and a person who logs in: what the tests of logins start from. */
import { logIn } from "../../src/auth/login.ts";
import type { AuthorizationCode } from "../../src/auth/profile.ts";
import { type Login, type Stored, storedOf } from "../../src/auth/stored.ts";
import type { Downstream } from "../../src/mcp/downstream/downstream.ts";
import type { SealedStore } from "../../src/secrets/sealed.ts";
import { type AuthorizationFixture, follow, serveAuthorization } from "../fixtures/servers/authorization-server.ts";
import { type ProtectedServer, serveProtected } from "../fixtures/servers/protected-server.ts";
import { person, tokens } from "./fixture.ts";

interface Way {
  /** What the person does with the address. */
  readonly visit?: (url: URL) => Promise<unknown>;
  readonly signal?: AbortSignal;
}
export interface Place extends AsyncDisposable {
  readonly authority: AuthorizationFixture;
  readonly server: ProtectedServer;
  readonly pass: (ms: number) => void;
  readonly store: SealedStore;
  /** As the daemon does when it is told of a login. */
  readonly forget: () => void;
  readonly problems: readonly string[];
  stored(profile?: AuthorizationCode): Stored;
  /** Ends when everything that the person did has ended. */
  login(profile?: AuthorizationCode, way?: Way): Promise<{ readonly login: Login; readonly shown: readonly URL[] }>;
  connected(profile?: AuthorizationCode): Promise<Downstream>;
}

export function openPlace(): Place {
  const authority = serveAuthorization();
  const server = serveProtected(authority);
  const { store, source, now, pass, problems, connect } = tokens();
  const opened: Downstream[] = [];
  const stored = (profile = person()) => storedOf(store, profile, server.url);
  return {
    authority,
    server,
    pass,
    store,
    forget: source.forget,
    problems,
    stored,
    async login(profile = person(), { visit = (url: URL) => follow(url.href), signal = AbortSignal.timeout(20_000) } = {}) {
      const visits: Promise<unknown>[] = [];
      const shown: URL[] = [];
      const show = (url: string) => {
        shown.push(new URL(url));
        visits.push(visit(new URL(url)));
      };
      const login = await logIn(profile, server.url, stored(profile), { now, show, signal }).finally(() => Promise.all(visits));
      return { login, shown };
    },
    async connected(profile = person()) {
      const downstream = await connect(server.url, profile);
      opened.push(downstream);
      return downstream;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((downstream) => downstream.close()));
      await server[Symbol.asyncDispose]();
      await authority[Symbol.asyncDispose]();
    },
  };
}
