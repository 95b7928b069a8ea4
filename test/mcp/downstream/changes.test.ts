/** Prompts and resources of real servers in both eras: listed, read, and heard of when they change. */
import { afterEach, describe, expect, test } from "bun:test";
import { PROMPTS, RESOURCES, type RichServer, serveRichLegacy, serveRichModern, TEMPLATES } from "../../fixtures/servers/rich-servers.ts";
import { closeAll, fixture, http, manualClock, open, until } from "./support.ts";

let server: RichServer | undefined;
afterEach(async () => {
  await closeAll();
  await server?.stop();
  server = undefined;
});
const METHOD_NOT_FOUND = { kind: "rpc_error", code: -32601 };
const asked = (rpc: string) => server?.seen.filter((request) => request.rpc === rpc).length ?? 0;

describe.each([
  ["modern", serveRichModern],
  ["legacy", serveRichLegacy],
])("a %s server", (era, serve) => {
  const connect = async () => {
    const clock = manualClock();
    server = serve();
    const opened = await open(http(server.url), { schedule: clock.schedule });
    expect(opened.downstream.introduction.era).toBe(era as "modern" | "legacy");
    return { ...opened, clock, server };
  };

  test("is asked for its lists, its prompts and its resources", async () => {
    const { downstream } = await connect();
    expect(await downstream.listTools()).toEqual([]);
    expect(await downstream.listPrompts()).toEqual(PROMPTS);
    expect(await downstream.listResources()).toEqual({ resources: RESOURCES, templates: TEMPLATES });
    expect(await downstream.request({ method: "prompts/get", params: { name: "greet", arguments: { who: "Ada" } } })).toMatchObject({
      kind: "result",
      result: { messages: [{ role: "user", content: { text: "Hello Ada" } }] },
    });
    expect(await downstream.request({ method: "resources/read", params: { uri: "note://1" } })).toMatchObject({
      result: { contents: [{ uri: "note://1", text: "text of note://1" }] },
    });
    expect(await downstream.request({ method: "completion/complete", params: {} })).toMatchObject({ kind: "rpc_error" });
  });

  test("tells of changed lists, a burst as one change", async () => {
    const { clock, heard, server: told } = await connect();
    await until(() => {
      told.promptsChanged();
      told.promptsChanged();
      told.resourcesChanged();
      return clock.waiting().length === 2;
    });
    expect(heard).toEqual([]);
    clock.fire();
    expect(heard.toSorted()).toEqual(["prompts", "resources"]);
  });

  test("tells of a resource while somebody is subscribed to it", async () => {
    const { downstream, heard, server: told } = await connect();
    expect(await downstream.subscribe("note://1")).toEqual({ kind: "result", result: {} });
    expect(await downstream.subscribe("note://2")).toEqual({ kind: "result", result: {} });
    await until(() => {
      told.updated("note://1");
      told.updated("note://3");
      return heard.length > 0;
    });
    expect(new Set(heard)).toEqual(new Set(["note://1"]));
    await downstream.unsubscribe("note://1");
    await until(() => {
      told.updated("note://2");
      return heard.includes("note://2");
    });
    await downstream.unsubscribe("note://2");
    expect(heard).not.toContain("note://3");
  });
});

test("two subscriptions at the same time to a modern server are one stream, which holds both", async () => {
  server = serveRichModern();
  const told = server;
  const { downstream, heard } = await open(http(server.url));
  expect(await Promise.all([downstream.subscribe("note://1"), downstream.subscribe("note://2"), downstream.subscribe("note://1")])).toEqual(
    [
      { kind: "result", result: {} },
      { kind: "result", result: {} },
      { kind: "result", result: {} },
    ],
  );
  await until(() => {
    told.updated("note://1");
    told.updated("note://2");
    return new Set(heard).size === 2;
  });
  expect(asked("subscriptions/listen")).toBe(3); // the lists, the first resource, both
});

test.each([
  ["legacy", {}],
  ["modern", { FIXTURE_ERA: "modern" }],
])("a %s server without prompts and resources has none, and cannot be subscribed to", async (_, env) => {
  const { downstream } = await open(fixture(env as Record<string, string>));
  expect(await downstream.listPrompts()).toEqual([]);
  expect(await downstream.listResources()).toEqual({ resources: [], templates: [] });
  expect(await downstream.subscribe("note://1")).toMatchObject(METHOD_NOT_FOUND);
});

test("after the end of the connection lists are unknown and requests are not sent", async () => {
  server = serveRichModern();
  const { downstream } = await open(http(server.url));
  await downstream.close();
  expect(await downstream.listPrompts()).toBeUndefined();
  expect(await downstream.listResources()).toBeUndefined();
  expect(await downstream.request({ method: "resources/read", params: { uri: "note://1" } })).toMatchObject({ kind: "not_sent" });
});
