/** Tokens on the way to a server that asks for them: got, renewed, refused; every call is carried out once or not at all. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { authorizationRequired } from "../../src/mcp/downstream/authorization.ts";
import type { Downstream } from "../../src/mcp/downstream/downstream.ts";
import { type AuthorizationFixture, CLIENT, serveAuthorization } from "../fixtures/servers/authorization-server.ts";
import { serveSse } from "../fixtures/servers/http-servers.ts";
import { type ProtectedServer, serveProtected } from "../fixtures/servers/protected-server.ts";
import { machine, tokens } from "./fixture.ts";

let authority: AuthorizationFixture;
let server: ProtectedServer;
const opened: Downstream[] = [];
beforeEach(() => {
  authority = serveAuthorization();
  server = serveProtected(authority);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((downstream) => downstream.close()));
  await server[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});
const kept = (downstream: Downstream) => {
  opened.push(downstream);
  return downstream;
};
const call = (downstream: Downstream, n = 1) => downstream.call({ tool: "echo", arguments: { n } });

test("a bearer token goes with every request; one that is refused is said to be the profile's", async () => {
  const { connect } = tokens();
  const bearer = { type: "bearer", name: "fixed", token: "the-fixed-token" } as const;
  const refusing = connect(server.url, bearer);
  await expect(refusing).rejects.toThrow("the server refuses the token of the profile fixed: put a valid one there");
  const taking = serveProtected({ issuer: authority.issuer, accepts: (token) => token === "the-fixed-token" });
  expect(await call(kept(await connect(taking.url, bearer)))).toMatchObject({ kind: "result" });
  expect(new Set(taking.shown)).toEqual(new Set(["the-fixed-token"]));
  await taking[Symbol.asyncDispose]();
});

test("client credentials are shown to the issuer of the profile, the resource is named, and the token goes to the server", async () => {
  const { connect, secrets } = tokens();
  const downstream = kept(await connect(server.url, machine({ issuer: authority.issuer })));
  expect(await call(downstream)).toMatchObject({ kind: "result" });
  expect(authority.grants).toEqual([
    {
      grant_type: "client_credentials",
      scope: "tools",
      resource: server.url,
      authorization: `Basic ${btoa(`${CLIENT.clientId}:${CLIENT.clientSecret}`)}`,
    },
  ]);
  expect([...secrets]).toEqual([...new Set(server.shown)]);
});

test("scopes, audience and resource of the profile are sent as they are written", async () => {
  const { connect } = tokens();
  authority.faults.audience = "api://mail";
  const profile = machine({
    tokenUrl: `${authority.issuer}/token`,
    scopes: ["a", "b"],
    audience: "api://mail",
    resource: "https://mail.example",
  });
  kept(await connect(server.url, profile));
  expect(authority.grants).toMatchObject([{ scope: "a b", audience: "api://mail", resource: "https://mail.example" }]);
});

test("fifty calls at once, refused for an expired token: it is renewed once and every call runs once", async () => {
  const { connect } = tokens();
  const downstream = kept(await connect(server.url, machine({ issuer: authority.issuer })));
  authority.expireTokens();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => call(downstream, n)));
  expect(outcomes.filter(({ kind }) => kind === "result")).toHaveLength(50);
  expect(server.runs()).toBe(50);
  expect(authority.grants).toHaveLength(2);
});

test("servers that share a resource share its token; servers that do not have tokens of their own", async () => {
  const other = serveProtected(authority);
  const together = tokens();
  const shared = machine({ issuer: authority.issuer, resource: server.url });
  kept(await together.connect(server.url, shared, "one"));
  kept(await together.connect(other.url, shared, "two"));
  expect(new Set([...server.shown, ...other.shown]).size).toBe(1);
  const apart = tokens();
  kept(await apart.connect(server.url, machine({ issuer: authority.issuer }), "one"));
  kept(await apart.connect(other.url, machine({ issuer: authority.issuer }), "two"));
  expect(authority.grants.map(({ resource }) => resource)).toEqual([server.url, server.url, other.url]);
  await other[Symbol.asyncDispose]();
});

test("a token that says when it expires is renewed before anybody is refused", async () => {
  const { connect, pass } = tokens();
  authority.faults.expiresIn = 300;
  const downstream = kept(await connect(server.url, machine({ issuer: authority.issuer })));
  pass(290_000);
  await call(downstream);
  expect(new Set(server.shown).size).toBe(2);
  expect(authority.grants).toHaveLength(2);
});

test("a second 401 ends the call as one that needs authorization, and nothing ran", async () => {
  const { connect } = tokens();
  const downstream = kept(await connect(server.url, machine({ issuer: authority.issuer })));
  server.refuseAll(true);
  const before = server.shown.length;
  expect(await call(downstream)).toEqual({
    kind: "not_sent",
    reason: "the server refuses a token that was just obtained: correct the profile machine under auth",
    authorization: true,
  });
  expect(new Set(server.shown.slice(before)).size).toBe(2); // the old one, and one that was renewed
  expect(await call(downstream)).toMatchObject({ authorization: true });
  expect(authority.grants).toHaveLength(2); // it is not asked for a token with every call
  expect(server.runs()).toBe(0);
});

test("a client's secret that is refused is said in our words; the connection does not come about", async () => {
  const { connect } = tokens();
  const profile = machine({ issuer: authority.issuer, clientSecret: "canary-wrong-secret" });
  await expect(connect(server.url, profile)).rejects.toThrow(
    `the authorization server ${authority.issuer}: it refused (invalid_client): correct the profile machine under auth`,
  );
  expect(server.shown).toEqual([]);
});

test("a token for another service is not shown to this one", async () => {
  const { connect } = tokens();
  authority.faults.audience = "https://bank.example";
  await expect(connect(server.url, machine({ issuer: authority.issuer }))).rejects.toThrow(
    `the token is for https://bank.example, not for ${server.url}`,
  );
  expect(server.shown).toEqual([]);
});

test("an authorization server that cannot answer now is no reason to ask anybody to act", async () => {
  const { connect, pass } = tokens();
  const downstream = kept(await connect(server.url, machine({ tokenUrl: `${authority.issuer}/token` })));
  pass(3_600_000);
  await authority[Symbol.asyncDispose]();
  const outcome = await call(downstream);
  expect(outcome).toEqual({ kind: "not_sent", reason: `the authorization server ${authority.issuer}: it cannot be reached` });
});

test("metadata of another issuer is not used: the client's secret goes to nobody", async () => {
  const { connect } = tokens();
  authority.faults.foreignMetadata = true;
  await expect(connect(server.url, machine({ issuer: authority.issuer }))).rejects.toThrow("its metadata names another issuer");
  expect(authority.grants).toEqual([]);
});

test("over the older transport a server without a token is told from one that cannot be reached, and one with a token is used", async () => {
  const { connect } = tokens();
  const bearer = { type: "bearer", name: "fixed", token: "the-fixed-token" } as const;
  const why = await connect(server.url, bearer, "mail", "sse").catch((error: unknown) => authorizationRequired(error));
  expect(why).toBe("the server refuses the token of the profile fixed: put a valid one there");
  const sse = serveSse();
  const downstream = kept(await connect(sse.url, bearer, "mail", "sse"));
  expect(await call(downstream)).toMatchObject({ kind: "result" });
  expect(new Set(sse.seen.map(({ headers }) => headers["authorization"]))).toEqual(new Set(["Bearer the-fixed-token"]));
  await downstream.close();
  await sse.stop();
});
