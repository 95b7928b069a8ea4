/** Summaries of servers by a model: when one is asked for, when it is used, and what is never shown. */
import { describe, expect, test } from "bun:test";
import { fakeServer, memoryLog, tool } from "../harness.ts";
import { asked, LISTS, mailServer, place, SUMMARY, slowly, until } from "./summaries-place.ts";

describe("a server's summary", () => {
  test("is asked for in the background, recorded, and used from then on", async () => {
    const { say, answer } = slowly();
    using it = await place({ say });
    await it.pass(500);
    await asked(it.endpoint, 1);
    expect([it.summaryOf(), it.recorded()]).toEqual([LISTS, 0]);
    answer();
    await until(() => it.recorded() === 1);
    expect(it.summaryOf()).toBe(SUMMARY);
    const [question] = it.endpoint.asked;
    expect(question).toMatchObject({ model: "small" });
    const [fence = "", ...lines] = question?.user.split("\n") ?? [];
    expect(question?.system).toContain(fence);
    expect(lines).toEqual([
      "Server: mail",
      "Program: fake",
      "Version: 1",
      "Tools (2):",
      "- act: does act",
      "- look: does look",
      fence,
      "Describe this server.",
    ]);
  });

  test("is asked for once, however often its lists are read again, and still used after a restart", async () => {
    const log = memoryLog();
    using before = await place({ log });
    await before.pass(500);
    await until(() => before.recorded() === 1);
    before.connections.refresh();
    await before.pass(7_200_000);
    expect(before.endpoint.asked).toHaveLength(1);

    const server = mailServer("act", "look");
    using after = await place({ log, servers: { mail: server } });
    expect(after.summaryOf()).toBe(SUMMARY);
    await after.pass(7_200_000);
    expect(after.endpoint.asked).toEqual([]);
    server.tools = [tool("act")];
    server.changed();
    await after.settle();
    await after.pass(500);
    await asked(after.endpoint, 1); // it would have asked
  });

  test("gives way to its lists as soon as they are others, and comes back with them", async () => {
    const server = mailServer("act", "look");
    using it = await place({ servers: { mail: server } });
    await it.pass(500);
    await until(() => it.recorded() === 1);
    server.tools = [tool("act"), tool("look"), tool("more")];
    server.changed();
    await it.settle();
    expect(it.summaryOf()).toBe("Provides 3 tool(s): act, look, more.");
    server.tools = [tool("look"), tool("act")];
    server.changed();
    await it.settle();
    expect(it.summaryOf()).toBe(SUMMARY);
  });

  test("is asked for anew at the earliest half a minute later, however often its lists change", async () => {
    const server = mailServer("act");
    using it = await place({ servers: { mail: server } });
    await it.pass(500);
    await until(() => it.recorded() === 1);
    for (let second = 0; second < 29; second++) {
      server.tools = [tool(`act${second}`)];
      server.changed();
      await it.pass(1000);
    }
    expect(it.endpoint.asked).toHaveLength(1);
    await it.pass(1000);
    await asked(it.endpoint, 2);
    expect(it.endpoint.asked[1]?.user).toContain("- act28:");
  });

  test("says nothing of a tool that nobody may call, and is not used once it does", async () => {
    using it = await place({ policies: { mail: { deniedTools: ["look"] } } });
    await it.pass(500);
    await until(() => it.recorded() === 1);
    expect(it.endpoint.asked[0]?.user).toContain("Tools (1):");
    expect(it.endpoint.asked[0]?.user).not.toContain("look");
    await it.configure({ mail: { deniedTools: ["act"] } }, "d2");
    expect(it.summaryOf()).toBe("Provides 1 tool(s): look.");
  });

  test("is the operator's where there is one: no model is asked", async () => {
    using it = await place({ policies: { mail: { summary: "Letters." } }, servers: { mail: fakeServer(), post: fakeServer() } });
    await it.pass(500);
    await until(() => it.recorded() === 1);
    await it.pass(7_200_000);
    expect(it.endpoint.asked.map(({ user }) => user.split("\n")[1])).toEqual(["Server: post"]);
    expect(it.summaryOf()).toBe("Letters.");
  });

  test("is not asked for where a server has no tools", async () => {
    using it = await place({ servers: { mail: mailServer(), post: fakeServer() } });
    await it.pass(500);
    await asked(it.endpoint, 1);
    await it.pass(7_200_000);
    expect(it.endpoint.asked.map(({ user }) => user.split("\n")[1])).toEqual(["Server: post"]);
  });
});

describe("who is asked", () => {
  test("is the first tier that is there: low, balanced, high", async () => {
    for (const [tiers, model] of [
      [["balanced", "high"], "balanced"],
      [["high"], "high"],
    ] as const) {
      using it = await place();
      it.language.configure(Object.fromEntries(tiers.map((tier) => [tier, it.tier(tier)])));
      await it.pass(500);
      await asked(it.endpoint, 1);
      expect(it.endpoint.asked[0]?.model).toBe(model);
    }
  });

  test("is nobody without a tier; a tier that comes is asked at once", async () => {
    using it = await place();
    it.language.configure({});
    await it.pass(7_200_000);
    expect(it.endpoint.asked).toEqual([]);
    it.language.configure({ high: it.tier("large") });
    await it.pass(500);
    await until(() => it.recorded() === 1);
  });

  test("is asked for two servers at once, and for the next when one is done", async () => {
    const { say, answer } = slowly();
    const servers = Object.fromEntries(["a", "b", "c"].map((name) => [name, fakeServer()]));
    using it = await place({ say, servers });
    await it.pass(500);
    await asked(it.endpoint, 2);
    await it.clock.advance(10_000);
    expect(it.endpoint.asked).toHaveLength(2);
    answer();
    await until(() => it.recorded() === 1);
    await it.clock.advance(0);
    await asked(it.endpoint, 3);
  });
});
