import { describe, expect, test } from "bun:test";
import { createRest } from "../../src/doors/rest.ts";
import { createSessions } from "../../src/doors/sessions.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import { fakeServer, harness } from "../harness.ts";

const ada = { agent: "ada", profile: "default" };

async function limited(limit: number) {
  const world = await harness({ servers: { mail: fakeServer() } });
  let drawn = 0;
  const sessions = createSessions({ ...world, limitOf: () => limit, now: world.clock.now, randomId: () => `${++drawn}` });
  const open = (name: string, principal = ada) => sessions.open({ principal, name, client: "test", era: "modern" });
  const legacy = (id: string) => sessions.open({ principal: ada, client: "test", era: "legacy", connection: { id, initialize: {} } });
  const rest = createRest({ ...world, sessions, lists: createToolLists(world), position: () => 0 });
  return { ...world, sessions, open, legacy, rest };
}

describe("the sessions of one token", () => {
  test("are limited: another one is refused with what to do, one that is there goes on, other tokens too", async () => {
    const { open } = await limited(2);
    const first = await open("one");
    await open("two");
    await expect(open("three")).rejects.toThrow("go on in one of them");
    expect((await open("one")).id).toBe(first.id);
    expect((await open("one", { ...ada, agent: "grace" })).name).toBe("one");
  });

  test("are limited also when they are opened at the same time", async () => {
    const { open } = await limited(2);
    const all = await Promise.allSettled(["one", "two", "three", "four"].map((name) => open(name)));
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
  });

  test("count no longer when they have ended, or were silent for ten minutes", async () => {
    const { open, legacy, sessions, clock } = await limited(2);
    const ended = await legacy("c1");
    await open("two");
    await sessions.closeConnection(ended, "c1");
    await open("three");
    await expect(open("four")).rejects.toThrow("may not have more");
    await clock.advance(600_001);
    sessions.passivateIdle();
    expect((await open("four")).name).toBe("four");
  });

  test("are any number at zero", async () => {
    const { open } = await limited(0);
    for (let session = 0; session < 20; session++) await open(`s${session}`);
  });

  test("over REST: too many are a 429 with the time to wait", async () => {
    const { open, rest } = await limited(1);
    await open("one");
    const body = JSON.stringify({ session: "two" });
    const called = await rest.call("mail__act", new Request("http://x/", { method: "POST", body }), ada);
    expect([called.status, called.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await called.json()).toMatchObject({ error: { code: "rate_limited", certainty: "not_applied", retryable: true } });
    expect((await rest.tools(new URL("http://x/v1/tools?session=two"), ada)).status).toBe(429);
    expect((await rest.tools(new URL("http://x/v1/tools?session=one"), ada)).status).toBe(200);
  });
});
