/** However many want to hear of a resource, its server has one subscription, over every connection there will be. */
import { expect, test } from "bun:test";
import { type REFUSED, world } from "./fixture.ts";

async function connected(settings?: Parameters<typeof world>[0]) {
  const there = world(settings);
  there.apply();
  await there.clock.advance(0);
  const heard: string[] = [];
  const subscribe = async (uri: string, who = uri) => {
    const subscribed = await there.subscriptions.subscribe("mail", uri, () => heard.push(who));
    if (typeof subscribed !== "function") throw new Error(subscribed.message);
    return subscribed;
  };
  const requests = () => there.made.map((one) => one.requests);
  const updated = (uri: string) => there.made.at(-1)?.events.onResourceUpdated(uri);
  return { ...there, heard, subscribe, requests, updated };
}

test("is made by the first and ended by the last, whoever that is", async () => {
  const { subscribe, requests, updated, heard } = await connected();
  const [one, other] = await Promise.all([subscribe("a://1", "one"), subscribe("a://1", "other")]);
  expect(requests()).toEqual([["subscribe a://1"]]);
  updated("a://1");
  one();
  one();
  updated("a://1");
  expect(requests()).toEqual([["subscribe a://1"]]);
  other();
  updated("a://1");
  expect([heard, requests()]).toEqual([["one", "other", "other"], [["subscribe a://1", "unsubscribe a://1"]]]);
  await subscribe("a://1");
  expect(requests()[0]?.at(-1)).toBe("subscribe a://1");
});

test("counts a listener twice that listens twice", async () => {
  const { subscriptions, requests } = await connected();
  const listener = () => undefined;
  const first = await subscriptions.subscribe("mail", "a://1", listener);
  await subscriptions.subscribe("MAIL", "a://1", listener);
  if (typeof first === "function") first();
  expect([requests(), subscriptions.of("Mail")]).toEqual([[["subscribe a://1"]], ["a://1"]]);
});

test("reaches only those whose resource it is, or lies above it", async () => {
  const { subscribe, updated, heard } = await connected();
  for (const uri of ["a://1", "a://12", "a://1/b", "a://"]) await subscribe(uri);
  for (const uri of ["a://1", "a://1/b/c", "b://1"]) {
    updated(uri);
    heard.push("|");
  }
  expect(heard).toEqual(["a://1", "a://", "|", "a://1", "a://1/b", "a://", "|", "|"]);
});

test("is made again on every new connection, and what was missed counts as one change", async () => {
  const { subscribe, made, clock, requests, heard, apply } = await connected();
  await subscribe("a://1");
  (await subscribe("a://2"))();
  made[0]?.events.onClosed("the process ended");
  await clock.advance(1000);
  expect([requests()[1], heard]).toEqual([["subscribe a://1"], ["a://1"]]);
  apply("two"); // its configuration has changed
  await clock.advance(0);
  expect([requests()[2], heard]).toEqual([["subscribe a://1"], ["a://1", "a://1"]]);
});

test("outlives that its server is taken out for a while", async () => {
  const { subscribe, connections, apply, clock, requests, heard } = await connected();
  await subscribe("a://1");
  await connections.apply([]);
  await clock.advance(0);
  apply();
  await clock.advance(0);
  expect([requests()[1], heard]).toEqual([["subscribe a://1"], ["a://1"]]);
});

test("of a server that is away is made when it comes; one that it turns down is forgotten", async () => {
  const { server, subscribe, subscriptions, made, clock, requests, heard } = await connected();
  server.reachable = false;
  made[0]?.events.onClosed("the process ended");
  await subscribe("a://1");
  server.reachable = true;
  await clock.advance(3000);
  expect([requests()[1], heard]).toEqual([["subscribe a://1"], ["a://1"]]);
  expect(await subscriptions.subscribe("mail", "no:1", () => undefined)).toEqual({ code: -32601, message: "no" });
  expect(subscriptions.of("mail")).toEqual(["a://1"]);
});

test("is not waited for longer than ten seconds", async () => {
  const { subscriptions, clock, made } = await connected();
  const never = new Promise<typeof REFUSED>(() => undefined);
  Object.assign(made[0]?.downstream ?? {}, { subscribe: () => never });
  const subscribed = subscriptions.subscribe("mail", "a://1", () => undefined);
  await clock.advance(10_000);
  expect(await subscribed).toBeFunction();
});
