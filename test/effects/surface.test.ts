/** What a server offers, as the registry hears it: read when it may have changed, told whole, kept when it cannot be had. */
import { describe, expect, test } from "bun:test";
import type { PromptDefinition, ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import { fakeServer, harness, tool } from "../harness.ts";
import { world } from "./fixture.ts";

const surfaces = (told: readonly { readonly type: string }[]) => told.filter(({ type }) => type === "surface");

test("tools, prompts, resources and what a server says of itself are told in one command", async () => {
  const { server, apply, settle, told } = world();
  server.introduction = {
    serverInfo: { name: "mailer", version: "2", title: "Mail", description: "Sends mail." },
    instructions: "Be brief.",
  };
  server.listPrompts = async () => [{ name: "greet" }];
  server.listResources = async () => ({
    resources: [{ uri: "a://1", name: "one" }],
    templates: [
      { uriTemplate: "a://{x}", name: "x" },
      { uriTemplate: "b://{x}", name: "y" },
    ],
  });
  apply();
  await settle();
  const about = { implementation: "mailer", title: "Mail", version: "2", description: "Sends mail.", instructions: "Be brief." };
  expect(told[0]).toMatchObject({
    to: "registry",
    type: "surface",
    server: "mail",
    tools: [{ tool: "act" }],
    prompts: [{ tool: "greet", kind: "prompt" }],
    resources: { resources: 1, templates: 2 },
    about: Bun.hash(JSON.stringify(about)).toString(16),
  });
});

describe("a list that cannot be had", () => {
  test("of prompts or resources is left out, and the tools are told all the same", async () => {
    const { server, apply, settle, told } = world();
    server.listPrompts = async () => undefined;
    server.listResources = async () => undefined;
    apply();
    await settle();
    expect(Object.keys(told[0] ?? {}).toSorted()).toEqual(["about", "id", "server", "to", "tools", "type"]);
  });

  test("of prompts, since it never comes, delays the tools by ten seconds at most", async () => {
    const { server, apply, clock, told, types } = world();
    server.listPrompts = () => new Promise(() => undefined);
    apply();
    await clock.advance(9999);
    expect(types()).toEqual([]);
    await clock.advance(1);
    expect(types()).toEqual(["surface", "connected"]);
    expect(told[0]).not.toHaveProperty("prompts");
  });

  test("of tools changes nothing", async () => {
    const { server, apply, settle, made, types, connections } = world();
    apply();
    await settle();
    server.listTools = async () => {
      throw new Error("tools/list failed: boom");
    };
    made[0]?.events.onToolsChanged();
    await settle();
    expect([types(), connections.of("mail")?.state]).toEqual([["surface", "connected"], "connected"]);
  });
});

test("whatever changes while the lists are read is one more reading, not one for each", async () => {
  const { server, apply, settle, made, told } = world();
  apply();
  await settle();
  const first = Promise.withResolvers<readonly ToolDefinition[]>();
  server.listTools = () => first.promise;
  const { events } = made[0] ?? expect.unreachable();
  events.onToolsChanged();
  for (const changed of [events.onToolsChanged, events.onPromptsChanged, events.onResourcesChanged, events.onToolsChanged]) changed();
  server.listTools = async () => [{ name: "newer", inputSchema: {} }];
  first.resolve([{ name: "new", inputSchema: {} }]);
  await settle();
  expect(made[0]?.lists).toBe(3);
  expect(surfaces(told).map((surface) => (surface as unknown as { tools: { tool: string }[] }).tools[0]?.tool)).toEqual([
    "act",
    "new",
    "newer",
  ]);
});

describe("what is published", () => {
  const rich = () => {
    const mail = fakeServer();
    const lists: { prompts: readonly PromptDefinition[] | undefined } = { prompts: [{ name: "greet" }] };
    const { connect } = mail;
    const connectRich: typeof connect = async (events) => Object.assign(await connect(events), { listPrompts: async () => lists.prompts });
    return { mail: Object.assign(mail, { connect: connectRich }), lists };
  };

  test("nothing, when a server is read again and all is as before", async () => {
    const { mail } = rich();
    const { clock, log, connections } = await harness({ servers: { mail } });
    const before = log.head.position;
    for (let time = 0; time < 3; time++) mail.changed();
    connections.refresh();
    await clock.advance(900_000);
    expect(log.head.position).toBe(before);
  });

  test("a description that changed, and nothing else", async () => {
    const { mail } = rich();
    const { settle, log, types } = await harness({ servers: { mail }, policies: { mail: { trusted: true } } });
    const before = log.head.position;
    mail.tools = [{ ...tool("act"), description: "does it better" }, tool("look")];
    mail.changed();
    await settle();
    expect(types().slice(before)).toEqual(["tool.changed", "tools.offered"]);
    expect(log.page({ after: before + 1, limit: 1 })[0]?.data).toMatchObject({ tools: [{ tool: "act" }] });
  });

  test("prompts stay when their list is unknown, and go when it is empty", async () => {
    const { mail, lists } = rich();
    const { settle, runtime } = await harness({ servers: { mail } });
    const prompts = () => [...runtime.catalogue().names.values()].filter(({ kind }) => kind === "prompt").map(({ tool }) => tool);
    for (const [list, kept] of [
      [undefined, ["greet"]],
      [[], []],
    ] as const) {
      lists.prompts = list;
      mail.changed();
      await settle();
      expect(prompts()).toEqual([...kept]);
    }
  });
});

test("a tool that is denied while its server is away is gone at once, and stays away when the server is back", async () => {
  const mail = fakeServer();
  const { clock, session, configure, runtime } = await harness({ servers: { mail } });
  const ada = await session("s_1");
  mail.reachable = false;
  mail.crash();
  await configure({ mail: { deniedTools: ["act"] } }, "d2");
  const refused = async () => (await ada.call("mail__act")).structuredContent?.error;
  expect(await refused()).toMatchObject({ code: "tool_not_found" });
  mail.reachable = true;
  await clock.advance(60_000);
  expect(runtime.catalogue().names.has("mail__act")).toBe(true);
  expect(await refused()).toMatchObject({ code: "tool_not_found" });
});
