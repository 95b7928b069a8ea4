/** What is checked before a token counts: a login that fails leaves nothing behind. */
import { describe, expect, test } from "bun:test";
import { type AuthorizationFixture, follow } from "../fixtures/servers/authorization-server.ts";
import { person } from "./fixture.ts";
import { openPlace } from "./place.ts";

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
    await using place = openPlace();
    const { authority, login, stored } = place;
    fault(authority);
    await expect(login()).rejects.toThrow(why);
    expect(stored().read()).toBeUndefined();
  });

  test("the login page is a script", async () => {
    await using place = openPlace();
    const { authority, login } = place;
    authority.faults.loginPage = "javascript:alert(1)";
    let shown = 0;
    await expect(login(person(), { visit: async () => shown++ })).rejects.toThrow();
    expect(shown).toBe(0);
  });

  test("the server accepts no tokens of the profile's issuer", async () => {
    await using place = openPlace();
    const { login } = place;
    await expect(login(person({ issuer: "https://login.example" }))).rejects.toThrow(
      "the server accepts no tokens of https://login.example: it names other authorization servers",
    );
  });

  test("nobody logs in in time", async () => {
    await using place = openPlace();
    const { login } = place;
    const signal = AbortSignal.timeout(300);
    await expect(login(person(), { visit: async () => undefined, signal })).rejects.toThrow(
      "nobody logged in within the time that was given",
    );
  });
});

test("an answer without the right state is refused, and the login goes on", async () => {
  await using place = openPlace();
  const { authority, login } = place;
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
