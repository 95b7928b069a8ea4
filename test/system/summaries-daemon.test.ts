/** A model's summaries through a whole daemon: what agents see, what a restart remembers, and where the key never stands. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveChat } from "../fixtures/chat-endpoint.ts";
import { makeCanary, shownIn, shownInFolder } from "./canary-forms.ts";
import { asOperator, call, fixtureServer, makePlace, send, startDaemon, until, verb } from "./daemon-fixture.ts";

const key = makeCanary("llm", true);
const WORDS = "Repeats what it is told, for tests.";
const summaryOf = async (url: string, server: string) => {
  const { structuredContent } = (await call(url, "mcp_list_services")).json as {
    structuredContent: { services: { serverName: string; summary: string }[] };
  };
  return structuredContent.services.find(({ serverName }) => serverName === server)?.summary;
};

test("a summary is used, and after a restart without asking again; the key stands in no file, view or line", async () => {
  using endpoint = serveChat(({ user, authorization }) =>
    user.includes("Server: good")
      ? `${WORDS} (${key.value})`
      : Response.json({ error: { message: `not with ${authorization}` } }, { status: 400 }),
  );
  using place = makePlace({
    llm: {
      low: { baseUrl: endpoint.url, model: "small", apiKey: `\${file:key.txt}` },
      high: { baseUrl: endpoint.url, model: "large", apiKey: `\${env:LLM_NOT_THERE}` },
    },
    mcpServers: { good: fixtureServer(), bad: fixtureServer({ A: "1" }) },
  });
  writeFileSync(join(place.root, "key.txt"), `${key.value}\n`);
  {
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await until("the summary", async () => (await summaryOf(url, "good"))?.startsWith(WORDS));
    await until("the refusal", () => daemon.stderr().includes("the endpoint answered 400"));
    expect(await summaryOf(url, "good")).toContain("[REDACTED");
    expect(await summaryOf(url, "bad")).toStartWith("Provides ");
    expect(daemon.stderr()).toContain("the endpoint answered 400: not with Bearer [REDACTED");
    expect(endpoint.asked.map(({ authorization, model }) => [authorization, model])).toEqual([
      [`Bearer ${key.value}`, "small"],
      [`Bearer ${key.value}`, "small"],
    ]);
    expect(daemon.stderr()).toContain("the models of the tier high are not asked: llm.high.apiKey: the environment variable LLM_NOT_THERE");
    const headers = asOperator(place);
    const views = ["servers", "servers/good", "servers/bad", "state/registry", "events?limit=1000", "status"];
    const seen = await Promise.all(views.map((path) => send(url, `/debug/api/${path}`, undefined, headers)));
    expect(seen.flatMap(({ text }) => shownIn(text, [key]))).toEqual([]);
    expect(await daemon.stop()).toBe(0);
    expect(shownIn(daemon.stderr(), [key])).toEqual([]);
  }
  {
    const before = endpoint.asked.length;
    await using daemon = startDaemon(place);
    expect(await summaryOf(await daemon.url, "good")).toStartWith(WORDS);
    await until("the other one is asked for", () => endpoint.asked.length > before);
    expect(endpoint.asked.slice(before).every(({ user }) => user.includes("Server: bad"))).toBe(true);
    expect(await daemon.stop()).toBe(0);
    expect(shownIn(daemon.stderr(), [key])).toEqual([]);
  }
  expect(shownInFolder(place.data, [key])).toEqual([]);
  expect(shownIn((await verb(place, "export")).output, [key])).toEqual([]);
  expect(await verb(place, "verify", "--deep")).toMatchObject({ code: 0 });
}, 60_000);
