/** Logging in as a person: what is shown, what is checked before a token counts, and what is left of it afterwards. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { logIn } from "../../src/auth/login.ts";
import type { AuthorizationCode } from "../../src/auth/profile.ts";
import { storedOf } from "../../src/auth/stored.ts";
import type { Downstream } from "../../src/mcp/downstream/downstream.ts";
import { type AuthorizationFixture, CLIENT, follow, serveAuthorization } from "../fixtures/servers/authorization-server.ts";
import { type ProtectedServer, serveProtected } from "../fixtures/servers/protected-server.ts";
import { person, tokens } from "./fixture.ts";

let authority: AuthorizationFixture;
let server: ProtectedServer;
let shared: ReturnType<typeof tokens>;
const opened: Downstream[] = [];
beforeEach(() => {
  authority = serveAuthorization();
  server = serveProtected(authority);
  shared = tokens();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((downstream) => downstream.close()));
  await server[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});

const stored = (profile: AuthorizationCode) => storedOf(shared.store, profile, server.url);
interface Way {
  /** What the person does with the address. */
  readonly visit?: (url: URL) => Promise<unknown>;
  readonly signal?: AbortSignal;
}
async function login(profile = person(), { visit = (url) => follow(url.href), signal = AbortSignal.timeout(20_000) }: Way = {}) {
  const visits: Promise<unknown>[] = [];
  const shown: URL[] = [];
  const show = (url: string) => {
    shown.push(new URL(url));
    visits.push(visit(new URL(url)));
  };
  const login = await logIn(profile, server.url, stored(profile), { now: shared.now, show, signal }).finally(() => Promise.all(visits));
  return { login, shown };
}
const connected = async (profile: AuthorizationCode) => {
  const downstream = await shared.connect(server.url, profile);
  opened.push(downstream);
  return downstream;
};
const NOBODY = 'nobody has logged in: run "toolcrib auth login mail"';

test("the address carries PKCE, state, resource and the scopes that the server asks for; the answer comes to 127.0.0.1", async () => {
  const { login: made, shown } = await login();
  const query = Object.fromEntries(shown[0]?.searchParams ?? []);
  expect(shown[0]?.origin).toBe(authority.issuer);
  expect(query).toMatchObject({ response_type: "code", code_challenge_method: "S256", resource: server.url, scope: "tools" });
  expect(query["state"]?.length).toBeGreaterThanOrEqual(43);
  expect(query["redirect_uri"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(made).toMatchObject({ issuer: authority.issuer, resource: server.url, scope: "tools", registration: { clientId: "client-1" } });
  expect(authority.registrations).toMatchObject([
    { application_type: "native", redirect_uris: [query["redirect_uri"]], token_endpoint_auth_method: "none", scope: "tools" },
  ]);
});

test("before a login nothing is sent; after it, the token is; a profile that asks for something else needs another login", async () => {
  await expect(connected(person())).rejects.toThrow(NOBODY);
  expect(server.shown).toEqual([]);
  await login();
  const downstream = await connected(person());
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
  await expect(connected(person({ definition: "d2" }))).rejects.toThrow(NOBODY);
});

test("a client that the profile names is used, with its secret for the profile's issuer", async () => {
  await login(person({ ...CLIENT, issuer: authority.issuer }));
  expect(authority.registrations).toEqual([]);
  expect(authority.grants[0]).toMatchObject({ authorization: `Basic ${btoa(`${CLIENT.clientId}:${CLIENT.clientSecret}`)}` });
});

test("a port of the profile is the one of the redirect", async () => {
  const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = Number(free.port);
  await expect(login(person({ redirectPort: port }))).rejects.toThrow(`port ${port} of 127.0.0.1 cannot be listened on`);
  await free.stop(true);
  const { shown } = await login(person({ redirectPort: port }));
  expect(shown[0]?.searchParams.get("redirect_uri")).toBe(`http://127.0.0.1:${port}/callback`);
});

test("tokens are refreshed without anybody, each refresh token is used once, and the last one is kept", async () => {
  authority.faults.expiresIn = 300;
  await login();
  const downstream = await connected(person());
  for (let round = 0; round < 3; round++) {
    shared.pass(299_000);
    await Promise.all(Array.from({ length: 20 }, () => downstream.call({ tool: "echo", arguments: {} })));
  }
  expect(server.runs()).toBe(60);
  const refreshes = authority.grants.filter(({ grant_type }) => grant_type === "refresh_token");
  expect(refreshes).toHaveLength(3);
  expect(new Set(refreshes.map(({ refresh_token }) => refresh_token)).size).toBe(3);
  expect(refreshes[0]).toMatchObject({ resource: server.url, client_id: "client-1" });
  expect(stored(person()).read()?.tokens?.refreshToken).toBe(authority.issued.at(-1));
});

test("a revoked refresh token ends in a sentence that says what to do, and is not tried again; another login mends it", async () => {
  await login();
  const downstream = await connected(person());
  shared.pass(3_600_000);
  authority.expireTokens();
  authority.revokeRefreshTokens();
  const outcome = await downstream.call({ tool: "echo", arguments: {} });
  expect(outcome).toEqual({
    kind: "not_sent",
    reason: `the authorization server ${authority.issuer}: it refused (invalid_grant): run "toolcrib auth login mail"`,
    authorization: true,
  });
  expect(stored(person()).read()?.tokens).toBeUndefined();
  shared.pass(60_000);
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ reason: expect.stringContaining("its login is over") });
  expect(authority.grants.filter(({ grant_type }) => grant_type === "refresh_token")).toHaveLength(1);
  await login();
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
});

test("an authorization server that is ill costs no login", async () => {
  await login();
  const downstream = await connected(person());
  shared.pass(3_600_000);
  authority.faults.refreshStatus = 503;
  const reason = `the authorization server ${authority.issuer}: it could not answer`;
  expect(await downstream.call({ tool: "echo", arguments: {} })).toEqual({ kind: "not_sent", reason });
  authority.faults.refreshStatus = undefined;
  shared.pass(2000);
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
});

test("a login while an old token is being refreshed wins", async () => {
  await login();
  const downstream = await connected(person());
  shared.pass(3_600_000);
  const gate = Promise.withResolvers<void>();
  authority.faults.tokenGate = gate.promise;
  const running = downstream.call({ tool: "echo", arguments: {} });
  while (authority.grants.length < 2) await Bun.sleep(5);
  authority.faults.tokenGate = Promise.resolve();
  const { login: second } = await login();
  gate.resolve();
  expect(await running).toMatchObject({ kind: "result" });
  expect(stored(person()).read()?.tokens).toEqual(second.tokens);
});

describe("a login is refused, and nothing is stored, when", () => {
  const cases: [name: string, fault: (fixture: AuthorizationFixture) => void, why: string][] = [
    [
      "the answer comes from another issuer",
      ({ faults }) => Object.assign(faults, { iss: "wrong" }),
      "the answer does not come from the issuer that was asked (iss): it was not used",
    ],
    [
      "the issuer is promised and missing",
      ({ faults }) => Object.assign(faults, { iss: "none" }),
      "the answer does not come from the issuer that was asked (iss): it was not used",
    ],
    [
      "an error comes from another issuer",
      ({ faults }) => Object.assign(faults, { iss: "wrong", denies: "access_denied" }),
      "the answer does not come from the issuer that was asked (iss): it was not used",
    ],
    ["the person says no", ({ faults }) => Object.assign(faults, { denies: "access_denied" }), "it did not grant access (access_denied)"],
    [
      "what it says is no error code",
      ({ faults }) => Object.assign(faults, { denies: "Visit evil.example now!" }),
      "it did not grant access (an unknown error)",
    ],
    [
      "the token is for another service",
      ({ faults }) => Object.assign(faults, { audience: "https://bank.example" }),
      "the token is for https://bank.example, not for",
    ],
    [
      "there is no PKCE with S256",
      ({ faults }) => Object.assign(faults, { pkce: false }),
      "it does not offer PKCE with S256, without which a code could be stolen",
    ],
    [
      "no client is named and none is registered",
      ({ faults }) => Object.assign(faults, { registers: false }),
      "it does not register clients by itself: register one there, and name its clientId in the profile",
    ],
    [
      "the metadata belongs to another issuer",
      ({ faults }) => Object.assign(faults, { foreignMetadata: true }),
      "its metadata names another issuer",
    ],
    [
      "the login page is not https",
      ({ faults }) => Object.assign(faults, { loginPage: "http://login.example/authorize" }),
      "its login page is not at an https address, so it is not shown",
    ],
  ];
  test.each(cases)("%s", async (_, fault, why) => {
    fault(authority);
    await expect(login()).rejects.toThrow(why);
    expect(stored(person()).read()).toBeUndefined();
  });

  test("the login page is a script", async () => {
    authority.faults.loginPage = "javascript:alert(1)";
    let shown = 0;
    await expect(login(person(), { visit: async () => shown++ })).rejects.toThrow();
    expect(shown).toBe(0);
  });

  test("the server accepts no tokens of the profile's issuer", async () => {
    await expect(login(person({ issuer: "https://login.example" }))).rejects.toThrow(
      "the server accepts no tokens of https://login.example: it names other authorization servers",
    );
  });

  test("nobody logs in in time", async () => {
    const signal = AbortSignal.timeout(300);
    await expect(login(person(), { visit: async () => undefined, signal })).rejects.toThrow(
      "nobody logged in within the time that was given",
    );
  });
});

test("an answer without the right state is refused, and the login goes on", async () => {
  const answers: number[] = [];
  const { login: made } = await login(person(), {
    async visit(url) {
      const back = url.searchParams.get("redirect_uri") ?? "";
      for (const state of ["", "wrong", `${url.searchParams.get("state")}x`])
        answers.push((await fetch(`${back}?code=stolen&state=${state}`)).status);
      answers.push((await fetch(back.replace("callback", "other"))).status);
      answers.push((await fetch(`${back}?state=${url.searchParams.get("state")}`, { method: "POST" })).status);
      answers.push((await fetch(back, { headers: { host: "evil.example" } })).status);
      answers.push((await follow(url.href)).status);
    },
  });
  expect(answers).toEqual([400, 400, 400, 404, 404, 403, 200]);
  expect(authority.grants.map(({ code }) => code)).not.toContain("stolen");
  expect(made.tokens).toBeDefined();
});
