/** Servers that ask for tokens, through the daemon and the real verb: who has to do what, and that no token is ever shown. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { authPlace, filesWith, logInWith, serverRow } from "./auth-place.ts";
import { asOperator, call, send, startDaemon, until, verb, whenServed } from "./daemon-fixture.ts";

setDefaultTimeout(60_000);

const LOGIN = 'nobody has logged in: run "toolcrib auth login mail"';

test("a server without a login delays nobody, says what to do, and works as soon as somebody has logged in beside the running daemon", async () => {
  await using world = authPlace();
  const { place, mail, authority } = world;
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "robot__echo", { n: 1 });
  await until("mail was tried", async () => (await serverRow(url, place, "mail"))["lastError"]);
  expect(await serverRow(url, place, "mail")).toMatchObject({ state: "disconnected", reason: LOGIN });
  expect(mail.shown).toEqual([]);

  const { code, stdout, stderr } = await logInWith(place);
  expect(`${code} ${stderr}`).toBe("0 ");
  expect(stdout).toContain(`logged in to mail at ${authority.issuer} with tools, until `);
  expect(stdout).toContain("then refreshed by itself; the running toolcrib connects it anew");
  await whenServed(url, "mail__echo", { n: 1 });
  expect(await serverRow(url, place, "mail")).toMatchObject({ state: "connected" });
});

test("a login survives kill -9, its end is said to who calls, and what was in flight is not repeated", async () => {
  await using world = authPlace();
  const { place, mail, authority } = world;
  const login = await logInWith(place);
  expect(login.stdout).toContain("no toolcrib runs now: the next start uses it");
  {
    await using first = startDaemon(place);
    await whenServed(await first.url, "mail__echo", { n: 1 });
    await first.kill();
  }
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "mail__echo", { n: 2 });
  const ran = mail.runs();

  authority.expireTokens();
  await Promise.all(Array.from({ length: 50 }, (_, n) => call(url, "mail__echo", { n: 10 + n })));
  expect(mail.runs() - ran).toBe(50);
  expect(authority.grants.filter(({ grant_type }) => grant_type === "refresh_token")).toHaveLength(1);

  authority.revokeRefreshTokens();
  mail.refuseAll(true);
  const refused = await call(url, "mail__echo", { n: 100 });
  expect(refused).toMatchObject({ status: 401, json: { error: { code: "auth_required", certainty: "not_applied", retryable: false } } });
  expect(refused.text).toContain("toolcrib auth login mail");
  expect(await serverRow(url, place, "mail")).toMatchObject({
    state: "disconnected",
    reason: expect.stringContaining("toolcrib auth login mail"),
  });
  const again = await call(url, "mail__echo", { n: 101 });
  expect(again).toMatchObject({ status: 401, json: { error: { code: "auth_required" } } });
  expect(mail.runs() - ran).toBe(50);
});

test("logging out ends it at once; the verbs say how things stand", async () => {
  await using world = authPlace();
  const { place } = world;
  const auth = (...args: string[]) => verb(place, "auth", ...args, "--config", place.config);
  await logInWith(place);
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "mail__echo", { n: 1 });

  const { servers } = JSON.parse((await auth("status", "--json")).output) as { servers: object[] };
  expect(servers).toMatchObject([
    { server: "mail", profile: "person", type: "authorization_code", state: "logged_in", refreshable: true, scope: "tools" },
    { server: "robot", profile: "machine", type: "client_credentials", state: "ready" },
  ]);
  expect(await auth("logout", "mail")).toEqual({ code: 0, output: "logged out of mail; the running toolcrib connects it anew\n" });
  await until("mail is asked for a login", async () => (await serverRow(url, place, "mail"))["reason"] === LOGIN);
  expect(await call(url, "mail__echo", { n: 2 })).toMatchObject({ status: 401 });
  expect(await auth("logout", "mail")).toEqual({ code: 1, output: "toolcrib: nobody is logged in to mail\n" });
  expect((await auth("status")).output).toContain("To log in: toolcrib auth login mail");
  expect((await verb(place, "doctor", "--config", place.config)).output).toContain("nobody is logged in");
  expect(await auth("login", "robot")).toMatchObject({ code: 1, output: expect.stringContaining("needs no login") });
  expect(await auth("login", "mial")).toMatchObject({ code: 1, output: expect.stringContaining('did you mean "mail"?') });
});

test("no token, code or client's secret is in any file, view, metric or output, though a server repeats them", async () => {
  await using world = authPlace();
  const { place, authority } = world;
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  const login = await logInWith(place);
  const said = [login.stdout, login.stderr];
  for (const tool of ["mail__echo", "robot__echo"]) said.push((await whenServed(url, tool, { n: 1 })).text);
  authority.expireTokens();
  for (const tool of ["mail__echo", "robot__echo"]) said.push((await call(url, tool, { n: 2 })).text);
  expect(said[2]).toContain("[REDACTED oauth #");

  const secrets = [...authority.issued, ...authority.grants.flatMap(({ code = [], code_verifier = [] }) => [code, code_verifier].flat())];
  secrets.push("canary-client-secret-0123456789", "canary-description-of-the-server");
  for (const path of [
    "/metrics",
    "/debug/api/servers",
    "/debug/api/servers/mail",
    "/debug/api/events",
    "/debug/api/calls",
    "/debug/api/status",
  ])
    said.push((await send(url, path, undefined, asOperator(place))).text);
  said.push((await verb(place, "auth", "status", "--json", "--config", place.config)).output);
  said.push((await verb(place, "config", "show", "--config", place.config)).output);
  said.push((await verb(place, "events", "--json")).output);
  for (const secret of secrets) for (const text of said) expect(text.includes(secret)).toBe(false);
  expect(await daemon.stop()).toBe(0);
  expect(filesWith(place.data, secrets)).toEqual([]);
  expect(secrets.filter((secret) => daemon.stderr().includes(secret))).toEqual([]);
});
