/** Logging in as a person: what is shown, how it goes on by itself afterwards, and when it needs the person again. */
import { expect, test } from "bun:test";
import { CLIENT } from "../fixtures/servers/authorization-server.ts";
import { person } from "./fixture.ts";
import { openPlace } from "./place.ts";

const NOBODY = 'nobody has logged in: run "toolcrib auth login mail"';

test("the address carries PKCE, state, resource and the scopes that the server asks for; the answer comes to 127.0.0.1", async () => {
  await using place = openPlace();
  const { authority, server, login } = place;
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
  await using place = openPlace();
  const { server, login, connected } = place;
  await expect(connected()).rejects.toThrow(NOBODY);
  expect(server.shown).toEqual([]);
  await login();
  const downstream = await connected();
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
  await expect(connected(person({ definition: "d2" }))).rejects.toThrow(NOBODY);
});

test("a client that the profile names is used, with its secret for the profile's issuer", async () => {
  await using place = openPlace();
  const { authority, login } = place;
  await login(person({ ...CLIENT, issuer: authority.issuer }));
  expect(authority.registrations).toEqual([]);
  expect(authority.grants[0]).toMatchObject({ authorization: `Basic ${btoa(`${CLIENT.clientId}:${CLIENT.clientSecret}`)}` });
});

test("a port of the profile is the one of the redirect", async () => {
  await using place = openPlace();
  const { login } = place;
  const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = Number(free.port);
  await expect(login(person({ redirectPort: port }))).rejects.toThrow(`port ${port} of 127.0.0.1 cannot be listened on`);
  await free.stop(true);
  const { shown } = await login(person({ redirectPort: port }));
  expect(shown[0]?.searchParams.get("redirect_uri")).toBe(`http://127.0.0.1:${port}/callback`);
});

test("tokens are refreshed without anybody, each refresh token is used once, and the last one is kept", async () => {
  await using place = openPlace();
  const { authority, server, login, connected, stored, pass } = place;
  authority.faults.expiresIn = 300;
  await login();
  const downstream = await connected();
  for (let round = 0; round < 3; round++) {
    pass(299_000);
    await Promise.all(Array.from({ length: 20 }, () => downstream.call({ tool: "echo", arguments: {} })));
  }
  expect(server.runs()).toBe(60);
  const refreshes = authority.grants.filter(({ grant_type }) => grant_type === "refresh_token");
  expect(refreshes).toHaveLength(3);
  expect(new Set(refreshes.map(({ refresh_token }) => refresh_token)).size).toBe(3);
  expect(refreshes[0]).toMatchObject({ resource: server.url, client_id: "client-1" });
  expect(stored().read()?.tokens?.refreshToken).toBe(authority.issued.at(-1));
});

test("a revoked refresh token ends in a sentence that says what to do, and is not tried again; another login mends it", async () => {
  await using place = openPlace();
  const { authority, login, connected, stored, pass } = place;
  await login();
  const downstream = await connected();
  pass(3_600_000);
  authority.expireTokens();
  authority.revokeRefreshTokens();
  const outcome = await downstream.call({ tool: "echo", arguments: {} });
  expect(outcome).toEqual({
    kind: "not_sent",
    reason: `the authorization server ${authority.issuer}: it refused (invalid_grant): run "toolcrib auth login mail"`,
    authorization: true,
  });
  expect(stored().read()?.tokens).toBeUndefined();
  pass(60_000);
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ reason: expect.stringContaining("its login is over") });
  expect(authority.grants.filter(({ grant_type }) => grant_type === "refresh_token")).toHaveLength(1);
  await login();
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
});

test("an authorization server that is ill costs no login", async () => {
  await using place = openPlace();
  const { authority, login, connected, pass } = place;
  await login();
  const downstream = await connected();
  pass(3_600_000);
  authority.faults.refreshStatus = 503;
  const reason = `the authorization server ${authority.issuer}: it could not answer`;
  expect(await downstream.call({ tool: "echo", arguments: {} })).toEqual({ kind: "not_sent", reason });
  authority.faults.refreshStatus = undefined;
  pass(2000);
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
});

test("a login while an old token is being refreshed wins", async () => {
  await using place = openPlace();
  const { authority, login, connected, stored, pass } = place;
  await login();
  const downstream = await connected();
  pass(3_600_000);
  const gate = Promise.withResolvers<void>();
  authority.faults.tokenGate = gate.promise;
  const running = downstream.call({ tool: "echo", arguments: {} });
  while (authority.grants.length < 2) await Bun.sleep(5);
  authority.faults.tokenGate = Promise.resolve();
  const { login: second } = await login();
  gate.resolve();
  expect(await running).toMatchObject({ kind: "result" });
  expect(stored().read()?.tokens).toEqual(second.tokens);
});

test("tokens that cannot be stored are used all the same, and that is told", async () => {
  await using place = openPlace();
  const { authority, login, connected, pass, problems, store } = place;
  await login();
  const downstream = await connected();
  pass(3_600_000);
  const put = store.put;
  Object.assign(store, {
    put() {
      throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    },
  });
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
  expect(problems).toEqual(["the tokens of the profile person could not be stored (SQLITE_FULL): after a restart another login is needed"]);
  Object.assign(store, { put });
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
  expect(authority.grants).toHaveLength(2);
});
