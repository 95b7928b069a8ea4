/** Children: each leads a group of its own, and none outlives the daemon, however that or they end. And the configuration file, changed under a running daemon. */
import { describe, expect, test } from "bun:test";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { asOperator, call, fixtureServer, isAlive, makePlace, type Place, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const groupOf = (pid: number) =>
  Number(
    readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ")[2],
  );
const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
const stubborn = fixtureServer({ FIXTURE_IGNORE_SIGTERM: "1", FIXTURE_GRANDCHILD: "1" });

/** The child behind a server, and the one that it started. */
async function familyOf(url: string, place: Place, name: string): Promise<readonly number[]> {
  const { pid, stderr } = await until(`${name} runs`, async () => {
    const { json } = await send(url, `/debug/api/servers/${name}`, undefined, asOperator(place));
    return json["state"] === "connected" ? (json as { pid: number; stderr: readonly string[] }) : undefined;
  });
  const grandchild = /grandchild (\d+)/.exec(stderr.join("\n"))?.[1];
  return grandchild === undefined ? [pid] : [pid, Number(grandchild)];
}

describe("children", () => {
  test("lead groups of their own; after SIGTERM none is left, not even one that ignores it, nor what it started", async () => {
    using place = makePlace({ mcpServers: { plain: fixtureServer(), stubborn } });
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    const [plain = 0, ...others] = [...(await familyOf(url, place, "plain")), ...(await familyOf(url, place, "stubborn"))];
    const [child = 0, grandchild = 0] = others;
    expect([plain, child, grandchild].map(isAlive)).toEqual([true, true, true]);
    expect([plain, child, grandchild].map(groupOf)).toEqual([plain, child, child]);
    expect(await daemon.stop()).toBe(0);
    expect([plain, child, grandchild].map(isAlive)).toEqual([false, false, false]);
  }, 20_000);

  test("that have not said a word when SIGTERM comes are gone as well", async () => {
    const mute = { command: "sleep", args: ["600"] };
    const deaf = { command: "sh", args: ["-c", "trap '' TERM; while :; do sleep 1; done"] };
    using place = makePlace({ mcpServers: { mute, deaf, slow: fixtureServer({ FIXTURE_START_MS: "60000" }) } });
    await using daemon = startDaemon(place);
    await daemon.url;
    const children = await until("all are started", () => {
      const pids = childrenOf(daemon.pid);
      return pids.length >= 3 ? pids : undefined;
    });
    expect(await daemon.stop()).toBe(0);
    expect(children.filter(isAlive)).toEqual([]);
  }, 20_000);

  test("that outlive a kill -9 of the daemon are gone when the next start serves", async () => {
    using place = makePlace({ mcpServers: { stubborn } });
    const first = startDaemon(place);
    const family = await familyOf(await first.url, place, "stubborn");
    await first.kill();
    expect(family.map(isAlive)).toEqual([true, true]);
    await using second = startDaemon(place);
    const url = await second.url;
    await until("they are gone", () => !family.some(isAlive), 2000);
    const anew = await familyOf(url, place, "stubborn");
    expect(anew.filter((pid) => family.includes(pid))).toEqual([]);
    await second.stop();
    expect(anew.map(isAlive)).toEqual([false, false]);
  }, 30_000);
});

describe("the configuration file, changed on disk,", () => {
  const names = async (url: string) => {
    const { tools } = (await send(url, "/v1/tools")).json as { tools: readonly { name: string }[] };
    return new Set(tools.map(({ name }) => name));
  };

  test("adds and removes servers and denies tools without a restart; what did not change keeps its process", async () => {
    using place = makePlace({ mcpServers: { one: fixtureServer() } });
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "one__echo", { text: "there" });
    const [kept] = await familyOf(url, place, "one");

    place.configure({ mcpServers: { one: { ...fixtureServer(), deniedTools: ["echo"] }, two: stubborn } });
    await whenServed(url, "two__echo", { text: "there" });
    expect(await names(url)).not.toContain("one__echo");
    expect((await call(url, "one__echo", { text: "no" })).status).toBe(404);
    expect((await call(url, "one__count")).status).toBe(200);
    expect(await familyOf(url, place, "one")).toEqual([kept ?? 0]);

    const removed = await familyOf(url, place, "two");
    writeFileSync(`${place.config}.new`, JSON.stringify({ mcpServers: { one: fixtureServer() } }));
    renameSync(`${place.config}.new`, place.config); // as editors do
    await until("two is not offered", async () => !(await names(url)).has("two__echo"));
    await until("its processes are gone", () => !removed.some(isAlive));
    expect((await call(url, "two__echo", { text: "no" })).status).toBe(404);
    expect((await call(url, "one__echo", { text: "again" })).status).toBe(200);
    expect(await familyOf(url, place, "one")).toEqual([kept ?? 0]);
  }, 30_000);

  test("stays without effect while it is broken, and the status says what is wrong", async () => {
    using place = makePlace({ mcpServers: { one: fixtureServer() } });
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "one__echo", { text: "there" });
    const status = async () =>
      (await send(url, "/debug/api/status", undefined, asOperator(place))).json["config"] as { errors: string[]; digest: string };
    const before = await status();
    expect(before.errors).toEqual([]);
    for (const broken of ['{"mcpServers": {', '{"mcpServers": {}, "limit": 1}', ""]) {
      place.configure(broken);
      await until("the error is shown", async () => (await status()).errors.length > 0);
      expect((await status()).digest).toBe(before.digest);
      expect((await call(url, "one__echo", { text: "as before" })).status).toBe(200);
      place.configure({ mcpServers: { one: fixtureServer() } });
      await until("the error is gone", async () => (await status()).errors.length === 0);
    }
    expect(daemon.stderr()).toContain("the configuration was not applied");
    expect((await call(url, "one__echo", { text: "as before" })).status).toBe(200);
  }, 30_000);
});
