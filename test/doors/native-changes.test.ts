/** Clients hear of changed lists of prompts and resources, and of the resources that they subscribed to, and of no others. */
import { describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { clientOf, KINDS, type SurfaceWorld, surface, surfaceServer } from "./native-fixture.ts";

const URI = "toolcrib://mail/note://1";

/** Everything that this client is told: `prompts`, `resources`, or the URI of a resource. */
function heardBy(client: Client): string[] {
  const heard: string[] = [];
  if (client instanceof Client) {
    client.setNotificationHandler("notifications/prompts/list_changed", () => void heard.push("prompts"));
    client.setNotificationHandler("notifications/resources/list_changed", () => void heard.push("resources"));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    return heard;
  }
  const old = client as unknown as import("@modelcontextprotocol/sdk/client/index.js").Client;
  old.setNotificationHandler(PromptListChangedNotificationSchema, () => void heard.push("prompts"));
  old.setNotificationHandler(ResourceListChangedNotificationSchema, () => void heard.push("resources"));
  old.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  return heard;
}
/** Subscribes as the era has it; returns the unsubscriber. */
async function subscribe(client: Client, uris: string[], more: { promptsListChanged?: true; resourcesListChanged?: true } = {}) {
  if (client instanceof Client && client.getProtocolEra() === "modern") {
    const subscription = await client.listen({ resourceSubscriptions: uris, ...more });
    return { honored: subscription.honoredFilter.resourceSubscriptions ?? [], end: () => subscription.close() };
  }
  for (const uri of uris) await client.subscribeResource({ uri });
  return {
    honored: uris,
    async end() {
      for (const uri of uris) await client.unsubscribeResource({ uri });
    },
  };
}
/** Whatever was told before this has arrived when it resolves. */
const until = async (condition: () => boolean) => {
  while (!condition()) await Bun.sleep(1);
};
const settled = async (world: SurfaceWorld, client: Client) => {
  await world.settle();
  await client.listResourceTemplates();
};

describe.each(KINDS)("a client of the kind %s", (kind) => {
  test("hears of changed lists, each by its name", async () => {
    const mail = surfaceServer();
    await using world = await surface({ servers: { mail } });
    const client = await clientOf(world, kind);
    const heard = heardBy(client);
    await subscribe(client, [], { promptsListChanged: true, resourcesListChanged: true });
    await client.listPrompts();
    mail.offering.prompts = [...mail.offering.prompts, { name: "more" }];
    mail.events().onPromptsChanged();
    await world.settle();
    await until(() => heard.length > 0);
    expect(heard).toEqual(["prompts"]);
    mail.offering.templates = [];
    mail.events().onResourcesChanged();
    await world.settle();
    await until(() => heard.length > 1);
    expect(heard).toEqual(["prompts", "resources"]);
  });

  test("hears of the resources that it subscribed to as long as it is subscribed", async () => {
    const mail = surfaceServer();
    await using world = await surface({ servers: { mail } });
    const client = await clientOf(world, kind);
    const other = await world.client("legacy", { agent: "eve" });
    const [heard, heardByOther] = [heardBy(client), heardBy(other)];
    await other.subscribeResource({ uri: "toolcrib://mail/note://2" });
    const { end } = await subscribe(client, [URI, "note://1"]);
    expect(mail.subscriptions).toEqual(["subscribe note://2", "subscribe note://1"]);
    mail.events().onResourceUpdated("note://1");
    await until(() => heard.length > 1);
    expect(heard).toEqual([URI, "note://1"]);
    await end();
    await until(() => mail.subscriptions.length > 2);
    mail.events().onResourceUpdated("note://1");
    mail.events().onResourceUpdated("note://2");
    await until(() => heardByOther.length > 0);
    await settled(world, client);
    expect([heard, heardByOther]).toEqual([[URI, "note://1"], ["toolcrib://mail/note://2"]]);
    expect(mail.subscriptions).toEqual(["subscribe note://2", "subscribe note://1", "unsubscribe note://1"]);
  });

  test("shares its server's subscription with others, and leaves it with its connection", async () => {
    const mail = surfaceServer();
    await using world = await surface({ servers: { mail } });
    const client = await clientOf(world, kind);
    const other = await world.client("legacy", { agent: "eve" });
    const heardByOther = heardBy(other);
    await other.subscribeResource({ uri: URI });
    await subscribe(client, [URI]);
    expect(mail.subscriptions).toEqual(["subscribe note://1"]);
    await client.close();
    mail.events().onResourceUpdated("note://1");
    await until(() => heardByOther.length > 0);
    await other.unsubscribeResource({ uri: URI });
    world.edge.evictIdle(Number.POSITIVE_INFINITY); // a legacy client over HTTP that only went away counts as idle
    await until(() => mail.subscriptions.length > 1);
    expect(mail.subscriptions).toEqual(["subscribe note://1", "unsubscribe note://1"]);
  });

  test("hears once when its server has come back", async () => {
    const mail = surfaceServer();
    await using world = await surface({ servers: { mail } });
    const client = await clientOf(world, kind);
    const heard = heardBy(client);
    await subscribe(client, [URI]);
    mail.crash();
    await world.clock.advance(1000);
    await until(() => heard.length > 0);
    await settled(world, client);
    expect([heard, mail.subscriptions]).toEqual([[URI], ["subscribe note://1", "subscribe note://1"]]);
  });
});

test("what a server turns down, or nobody declares, is refused: by an error, or by an acknowledgement without it", async () => {
  const mail = surfaceServer({
    resources: [
      { uri: "no:1", name: "no" },
      { uri: "note://1", name: "one" },
    ],
  });
  await using world = await surface({ servers: { mail } });
  const legacy = await world.client("legacy");
  for (const [uri, message] of [
    ["no:1", "no such note"],
    ["nobody:1", "No server declares this resource"],
  ])
    expect(await legacy.subscribeResource({ uri: uri ?? "" }).catch((error: Error) => error)).toMatchObject({
      code: -32602,
      message: expect.stringContaining(message ?? ""),
    });
  for (const modern of [await world.client(), await world.streamClient()]) {
    expect((await subscribe(modern, ["no:1", "nobody:1", "note://1"])).honored).toEqual(["note://1"]);
    expect((await subscribe(modern, ["no:1"], { promptsListChanged: true })).honored).toEqual([]);
  }
});

test("nobody hears of a server that may not be read any more", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const client = await world.client("legacy");
  const heard = heardBy(client);
  await client.subscribeResource({ uri: URI });
  const servers = [{ name: "mail", id: "000000000000", origin: "operator", transport: "stdio", refused: "no variable" }];
  const { limits, naming } = world.runtime.catalogue();
  await world.runtime.enter("registry", { type: "configure", digest: "d2", limits, naming, servers, policies: {} });
  mail.events().onResourceUpdated("note://1");
  await settled(world, client);
  expect(heard.filter((one) => one === URI)).toEqual([]);
});

test("a session may subscribe to a thousand resources, and to others when it has left some", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const client = await world.client();
  const uris = Array.from({ length: 1001 }, (_, n) => `toolcrib://mail/note://${n}`);
  const { honored, end } = await subscribe(client, uris);
  expect(honored).toHaveLength(1000);
  expect((await subscribe(client, [URI], { promptsListChanged: true })).honored).toEqual([]);
  await end();
  await until(() => mail.subscriptions.filter((one) => one.startsWith("unsubscribe")).length === 1000);
  expect((await subscribe(client, [URI])).honored).toEqual([URI]);
});

test("a session with another profile is told that its lists may have changed", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const client = await world.client("legacy", { name: "mine" });
  const heard = heardBy(client);
  const { session } = world.runtime.actors
    .addresses()
    .reduce<{ session: string }>((found, address) => (address.startsWith("session/") ? { session: address } : found), { session: "" });
  await world.runtime.enter(session, { type: "adopt", profile: "other" });
  await until(() => heard.length > 1);
  expect(heard).toEqual(["prompts", "resources"]);
});
