/** Profiles of `auth`: what is read, what is refused, what becomes a secret, and what of it may be written down. */
import { describe, expect, test } from "bun:test";
import { redactedConfig } from "../../src/config/redacted.ts";
import { type ResolveOptions, resolveEntry } from "../../src/config/resolve.ts";
import { errorsOf, load, loaded, ref } from "./fixture.ts";

const client = { type: "client_credentials", clientId: "crib", clientSecret: ref("env:SECRET"), issuer: "https://login.example" };
const server = (more: object = {}) => ({ s: { url: "https://x.example/mcp", auth: "work", ...more } });
const profile = (work: object, more: object = {}) => ({ auth: { work }, mcpServers: server(more) });

function resolved(work: object, env: ResolveOptions["env"] = {}, more: object = {}) {
  const { config } = loaded(profile(work, more));
  const entry = config.mcpServers["s"];
  if (entry === undefined) throw new Error("no entry");
  return resolveEntry("s", entry, { env, auth: { profiles: config.auth, folder: "/etc/crib" }, secrets: config.secrets });
}
function used(work: object, env: ResolveOptions["env"] = {}, more: object = {}) {
  const result = resolved(work, env, more);
  if (!result.ok) throw new Error(result.refused);
  return result;
}

test("a server names its profile as a text or in an object", () => {
  for (const auth of ["work", { profile: "work" }])
    expect(loaded(profile({ type: "bearer", token: "t" }, { auth })).config.mcpServers["s"]).toMatchObject({ auth: "work" });
});

const bad: [file: object, error: string][] = [
  [profile({ type: "bearer", token: "t" }, { auth: "wrok" }), 'mcpServers.s.auth: there is no such profile (did you mean "work"?)'],
  [{ mcpServers: server() }, "mcpServers.s.auth: there is no such profile (there is none under auth)"],
  [
    { auth: { work: client }, mcpServers: { s: { command: "x", auth: "work" } } },
    "mcpServers.s.auth: belongs to an http server, this one is stdio",
  ],
  [profile({ type: "oauth" }), "auth.work.type: expected one of bearer, client_credentials, authorization_code"],
  [profile({ type: "bearer" }), "auth.work: a profile of type bearer needs `token`"],
  [profile({ type: "bearer", token: "t", clientId: "x" }), "auth.work.clientId: does not belong to a profile of type bearer"],
  [profile({ type: "bearer", token: "t", scopes: ["x"] }), "auth.work.scopes: does not belong to a profile of type bearer"],
  [profile({ ...client, clientSecret: undefined }), "auth.work: a profile of type client_credentials needs `clientSecret`"],
  [
    profile({ ...client, issuer: undefined }),
    "auth.work: a profile of type client_credentials needs either `issuer` or `tokenUrl`: it says who gets the client's secret",
  ],
  [
    profile({ ...client, tokenUrl: "https://login.example/token" }),
    "auth.work: a profile of type client_credentials needs either `issuer` or `tokenUrl`: it says who gets the client's secret",
  ],
  [
    profile({ type: "authorization_code", clientId: "crib", clientSecret: "x" }),
    "auth.work.clientSecret: needs `clientId` and `issuer` beside it: they say whose it is, and who gets it",
  ],
  [
    profile({ type: "authorization_code", scopes: ["a b"] }),
    "auth.work.scopes[0]: a scope is printable ASCII without spaces and quotes; write each as an element of its own",
  ],
  [profile({ type: "authorization_code", redirectPort: 0 }), "auth.work.redirectPort: must be at least 1"],
  [profile({ type: "bearer", tokn: "t" }), 'auth.work.tokn: is not a known key (did you mean "token"?)'],
];
test.each(bad)("%j is refused", (file, error) => {
  expect(errorsOf(file)).toContain(error);
});

test("an Authorization header beside a profile is not sent, with a warning", () => {
  const headers = { authorization: "Bearer of-the-header", "X-Other": "kept" };
  const { warnings } = load(profile({ type: "bearer", token: "of-the-profile" }, { headers }));
  expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    "mcpServers.s.headers.authorization: is ignored: the profile in auth says what is sent",
  ]);
  expect(used({ type: "bearer", token: "of-the-profile" }, {}, { headers }).target).toMatchObject({ headers: { "X-Other": "kept" } });
});

test("a token that is sent unencrypted to another machine is warned of", () => {
  const warned = (url: string) =>
    load(profile({ type: "bearer", token: "t" }, { url })).warnings.map(({ path, message }) => `${path}: ${message}`);
  expect(warned("http://mail.example/mcp")).toEqual(["mcpServers.s.url: is not https: whoever is on the way can read the token"]);
  expect([...warned("http://127.0.0.1:8000/mcp"), ...warned("https://mail.example/mcp"), ...warned(ref("env:URL"))]).toEqual([]);
});

describe("a profile's references", () => {
  test("are looked up, and its token and client's secret become secrets whatever they look like", () => {
    const { auth, registered } = used(client, { SECRET: "12345678901" });
    expect(auth).toMatchObject({ type: "client_credentials", name: "work", clientId: "crib", clientSecret: "12345678901" });
    expect(registered).toContainEqual({ name: "SECRET", value: "12345678901", kind: "env" });
    expect(used({ type: "bearer", token: "/looks/like/a/path" }).registered).toContainEqual({
      name: "auth.work.token",
      value: "/looks/like/a/path",
      kind: "literal",
    });
  });

  test.each([
    [client, `auth.work.clientSecret: the environment variable SECRET is not set; set it, or write ${ref("env:SECRET:-default")}`],
    [{ ...client, clientSecret: "s", issuer: "http://login.example" }, "auth.work.issuer has to be an https address without a user in it"],
    [
      { ...client, clientSecret: "s", issuer: "https://u:p@login.example" },
      "auth.work.issuer has to be an https address without a user in it",
    ],
    [{ ...client, clientSecret: "sécret" }, "auth.work.clientSecret holds a character that cannot be sent: only printable ASCII can"],
    [{ type: "bearer", token: ref("NONE:-") }, "auth.work.token is empty"],
  ])("%j refuses its servers", (work, refused) => {
    expect(resolved(work)).toEqual({ ok: false, refused });
  });

  test("may name a plain http address of this machine", () => {
    expect(resolved({ ...client, clientSecret: "s", issuer: "http://127.0.0.1:9000" }).ok).toBe(true);
  });
});

test("the definition that stored tokens depend on changes with what was asked for, not with the client's secret or the port", () => {
  const code = { type: "authorization_code", clientId: "crib", issuer: "https://login.example", clientSecret: "s" };
  const definition = (work: object) => {
    const { auth } = used(work);
    return auth?.type === "authorization_code" ? auth.definition : "";
  };
  const same = definition(code);
  expect(definition({ ...code, clientSecret: "another", redirectPort: 8123 })).toBe(same);
  const others = [{ scopes: ["mail"] }, { audience: "api://x" }, { resource: "https://x.example" }, { clientId: "two" }];
  expect(new Set([same, ...others.map((more) => definition({ ...code, ...more }))]).size).toBe(5);
});

test("what is written down holds references and no literal secret", () => {
  const { config } = loaded({ auth: { one: { ...client, clientSecret: "hunter2-hunter2" }, two: client } });
  expect<object>(redactedConfig(config).auth).toEqual({
    one: { ...client, scopes: [], clientSecret: "[REDACTED literal]" },
    two: { ...client, scopes: [] },
  });
});
