/** A token that is right but not enough for one call: nothing was carried out, the connection stays, and the next login asks for more. */
import { expect, test } from "bun:test";
import { serveFaulty } from "../fixtures/servers/http-servers.ts";
import { open } from "../mcp/downstream/support.ts";
import { machine, person, tokens } from "./fixture.ts";
import { openPlace } from "./place.ts";

const MORE = 'the server asks for more than the login granted: run "toolcrib auth login mail"';

test("the next login asks for what was missing beside what it asked for before", async () => {
  await using place = openPlace();
  const { server, login, connected, stored, forget } = place;
  await login();
  const downstream = await connected();
  server.demand("mail.send  back\\slash");
  expect(await downstream.call({ tool: "echo", arguments: {} })).toEqual({
    kind: "not_sent",
    reason: MORE,
    status: 403,
    authorization: true,
  });
  expect(server.runs()).toBe(0);
  expect(await downstream.listTools()).toHaveLength(1);
  const { shown } = await login();
  expect(shown[0]?.searchParams.get("scope")).toBe("tools mail.send");
  forget();
  const again = await connected();
  expect(await again.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "result" });
  expect(stored().read()?.wanted).toBe("mail.send");
});

test("scopes that the profile names are the operator's to change", async () => {
  await using place = openPlace();
  const { server, login, connected, stored } = place;
  const profile = person({ scopes: ["tools"] });
  await login(profile);
  const downstream = await connected(profile);
  server.demand("mail.send");
  const reason = "the server asks for more scopes than the profile person has: add them under auth";
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ reason, status: 403 });
  expect(stored(profile).read()?.wanted).toBeUndefined();
});

test("a client of its own and a fixed token are told as what they are", () => {
  const { source } = tokens();
  const server = { name: "mail", url: "https://x.example/mcp" };
  expect(source.of(server, machine({ issuer: "https://login.example" })).insufficient("a")).toBe(
    "the server asks for more scopes than the profile machine has: add them under auth",
  );
  expect(source.of(server, { type: "bearer", name: "fixed", token: "t" }).insufficient("a")).toBe(
    "the server asks for more than the token of the profile fixed grants: put another one there",
  );
});

test("without a profile such an answer is an HTTP 403 like any other: nothing was carried out", async () => {
  const challenge = { "www-authenticate": 'Bearer error="insufficient_scope", scope="mail.send"' };
  const server = serveFaulty(() => new Response("no", { status: 403, headers: challenge }));
  const { downstream } = await open({ kind: "http", url: server.url, mode: "streamable-http", headers: {} });
  expect(await downstream.call({ tool: "echo", arguments: {} })).toMatchObject({ kind: "not_sent", status: 403 });
  await downstream.close();
  await server.stop();
});
