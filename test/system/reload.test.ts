/** A change of the configuration under a running daemon: what a connection is made of makes a new one, everything else applies to the one that is there. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ref } from "../config/fixture.ts";
import { asOperator, call, fixtureServer, isAlive, makePlace, type Place, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const debug = async (url: string, place: Place, path: string) => (await send(url, `/debug/api/${path}`, undefined, asOperator(place))).json;
const pidOf = (url: string, place: Place, name: string) =>
  until(`${name} runs`, async () => {
    const { state, pid } = await debug(url, place, `servers/${name}`);
    return state === "connected" ? (pid as number) : undefined;
  });
const services = async (url: string) => {
  const { json } = await call(url, "mcp_list_services");
  return (json["structuredContent"] as { services: { serverName: string; summary: string; toolNames: string[] }[] }).services;
};
/** What the server behind `one` has in this variable, said after `ms`. */
const variable = async (url: string, name: string, ms = 0) => {
  const { status, json } = await call(url, "one__sleep", { ms, env: name });
  return status === 200 ? (json["content"] as { text: string }[])[0]?.text : String(status);
};

test("the policy of a server changes at once and without a new connection", async () => {
  const entry = { ...fixtureServer(), summary: "Before." };
  using place = makePlace({ mcpServers: { one: entry } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  const pid = await pidOf(url, place, "one");

  const policy = { deniedTools: ["echo"], trusted: true, toolTimeoutMs: 300, summary: "After.", tools: { "*": { capability: "read" } } };
  place.configure({ mcpServers: { one: { ...entry, ...policy } } });
  await until("the new summary is shown", async () => (await services(url))[0]?.summary === "After.");
  expect((await services(url))[0]?.toolNames).not.toContain("echo");
  expect((await call(url, "one__echo", { text: "no" })).status).toBe(404);
  expect((await call(url, "one__hang")).json["error"]).toMatchObject({ code: "timeout", certainty: "not_applied", retryable: true });

  place.configure({
    bridge: { drift: { added: "withhold" }, wrapperMode: "eager" },
    mcpServers: { one: { ...entry, allowedTools: ["echo"] } },
  });
  await until("one tool is left", async () => (await services(url))[0]?.toolNames.join() === "echo");
  expect((await call(url, "one__echo", { text: "again" })).status).toBe(200);
  expect(await pidOf(url, place, "one")).toBe(pid);
}, 30_000);

test("a new variable makes a new connection for one server; calls in flight end on the old one, and the others are left alone", async () => {
  const entry = (value: string) => fixtureServer({ WHERE: value });
  using place = makePlace({ mcpServers: { one: entry("old"), other: fixtureServer() } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  const [old, other] = [await pidOf(url, place, "one"), await pidOf(url, place, "other")];

  const inFlight = variable(url, "WHERE", 3000);
  await until("it is under way", async () => JSON.stringify(await debug(url, place, "calls")).includes('"in_flight"'));
  place.configure({ mcpServers: { one: entry("new"), other: fixtureServer() } });
  await until("the new one answers", async () => (await variable(url, "WHERE")) === "new");
  expect(isAlive(old)).toBe(true);
  expect(await inFlight).toBe("old");
  await until("the old one is gone", () => !isAlive(old));
  expect(await pidOf(url, place, "other")).toBe(other);
}, 30_000);

test("a file that a reference names makes a new connection when it changes; the secret that was in it is concealed as long as somebody may say it", async () => {
  using place = makePlace();
  const [before, after] = ["the-first-of-the-secrets", "the-second-of-the-secrets"];
  const file = join(place.root, "token");
  writeFileSync(file, before);
  place.configure({ mcpServers: { one: fixtureServer({ API_TOKEN: ref("file:token") }) } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  const first = await variable(url, "API_TOKEN");

  const inFlight = variable(url, "API_TOKEN", 3000);
  await until("it is under way", async () => JSON.stringify(await debug(url, place, "calls")).includes('"in_flight"'));
  writeFileSync(file, `${after}\n`);
  const second = await until("the new one answers", async () => {
    const said = await variable(url, "API_TOKEN");
    return said === first ? undefined : said;
  });
  expect([first, second, await inFlight]).toEqual([expect.stringContaining("REDACTED"), expect.stringContaining("REDACTED"), first]);
  const applied = await debug(url, place, "events?type=config.applied");
  expect((applied["events"] as unknown[]).length).toBe(1);
  expect(daemon.stderr()).not.toContain("secrets");
  for (const secret of [before, after]) expect(readFileSync(join(place.data, "events.db")).includes(secret)).toBe(false);
}, 30_000);
