/** The verbs that read the log, while its daemon runs. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callInDoubt, clear, json, lines, place, run, serve, start, until } from "./support.ts";

const here = place();
const data = ["--data", here.data];
let daemon: Awaited<ReturnType<typeof serve>>;
/** In doubt: its server ended before it answered. */
let crashed = "";

beforeAll(async () => {
  daemon = await serve(here);
  await until(async () => (await run(["tools", ...data])).stdout.includes("two__echo"));
  crashed = await callInDoubt(here);
});
afterAll(async () => {
  daemon.kill();
  await daemon.exited;
  await clear(here);
});

describe("events", () => {
  test("--json prints the rows one a line, in order, and the filters choose", async () => {
    const all = lines((await run(["events", "--json", ...data])).stdout);
    expect(all.map(({ position }) => position)).toEqual(all.map((_, index) => index + 1));
    expect(Object.keys(all[0] ?? {})).toEqual(
      expect.arrayContaining(["position", "stream", "version", "type", "schema", "at", "turn", "data", "hash"]),
    );
    const some = lines(
      (await run(["events", "--json", "--type", "call.settled", "--stream", "server/two", "--call", crashed, ...data])).stdout,
    );
    expect(some.map(({ type, call }) => [type, call])).toEqual([["call.settled", crashed]]);
    const page = lines((await run(["events", "--json", "--after", "3", "--limit", "2", ...data])).stdout);
    expect(page.map(({ position }) => position)).toEqual([4, 5]);
    const newest = lines((await run(["events", "--json", "--after", "-2", "--limit", "1", ...data])).stdout);
    expect(newest).toHaveLength(1);
  });

  test("--follow goes on with what happens later", async () => {
    const { position } = (await json(["head", ...data])) as { position: number };
    const following = start(["events", "--follow", "--json", "--type", "session.opened", "--after", String(position), ...data]);
    const reader = following.stdout.getReader();
    await run(["call", "one__echo", "{}", "--session", "followed", ...data]);
    const { value } = await reader.read();
    expect(lines(new TextDecoder().decode(value))[0]).toMatchObject({ type: "session.opened", data: { name: "followed" } });
    following.kill();
    await following.exited;
  });
});

test("simulate reads the log of a running daemon", async () => {
  const file = join(here.root, "rules.jsonc");
  writeFileSync(file, JSON.stringify({ profiles: { default: { autonomy: "restricted" } } }));
  const { code, stdout } = await run(["simulate", "--policy", file, "--json", ...data]);
  const { changed } = JSON.parse(stdout) as { changed: { callId: string }[] };
  expect({ code, crashed: changed.find(({ callId }) => callId === crashed) }).toMatchObject({
    code: 1,
    crashed: { was: "allowed", now: "refused", rule: "autonomy:restricted" },
  });
});

test("simulate says what its file may hold to whoever gives it the whole configuration", async () => {
  const file = join(here.root, "whole.jsonc");
  writeFileSync(file, JSON.stringify({ listen: "127.0.0.1:0", policy: { deny: ["one__echo"] }, mcpServers: { one: { command: "one" } } }));
  const { code, stderr } = await run(["simulate", "--policy", file, ...data]);
  expect({ code, stderr }).toMatchObject({ code: 78, stderr: expect.stringContaining("is not the whole configuration: copy into it") });
});

describe("replay", () => {
  test("without a stream it tells the catalogue and every stream's version", async () => {
    const view = (await json(["replay", ...data])) as {
      catalogue: { servers: { name: string }[] };
      streams: { stream: string; version: number }[];
    };
    expect(view.catalogue.servers.map(({ name }) => name)).toEqual(["builtin", "one", "two"]);
    expect(view.streams.map(({ stream }) => stream)).toEqual(expect.arrayContaining(["registry", "server/one", "server/two", "system"]));
    expect((await run(["replay", "--at", "1", ...data])).stdout).toContain("position 1 of ");
  });

  test("a stream's state is that of the point asked for", async () => {
    const settled = lines((await run(["events", "--json", "--call", crashed, "--type", "call.settled", ...data])).stdout)[0];
    const at = Number(settled?.["position"]);
    const then = (await json(["replay", "--stream", "server/two", "--at", String(at), ...data])) as {
      state: { inDoubt: object };
      position: number;
    };
    expect(Object.keys(then.state.inDoubt)).toEqual([crashed]);
    const before = (await json(["replay", "--stream", "server/two", "--at", String(at - 1), ...data])) as typeof then;
    expect(before.state.inDoubt).toEqual({});
    const time = new Date(Number(settled?.["at"])).toISOString();
    expect(Object.keys(((await json(["replay", "--stream", "server/two", "--at", time, ...data])) as typeof then).state.inDoubt)).toEqual([
      crashed,
    ]);
    expect((await run(["replay", "--stream", "server/none", ...data])).code).toBe(1);
  });
});

describe("verify, head and export", () => {
  test("the log of a running daemon is sound, and its turns decide the same again", async () => {
    const view = (await json(["verify", "--deep", ...data])) as {
      verdict: string;
      deep: { turns: number; redecided: number; mismatches: unknown[] };
    };
    expect(view).toMatchObject({ verdict: "sound", deep: { mismatches: [] } });
    expect(view.deep.redecided).toBe(view.deep.turns);
    expect((await run(["verify", "--deep", ...data])).stdout).toContain("all with the same events");
  });

  test("a head that was kept is found again; a changed one is not", async () => {
    const kept = join(here.root, "head");
    const { stdout } = await run(["head", ...data]);
    writeFileSync(kept, stdout);
    expect((await run(["verify", "--expect-head", kept, ...data])).code).toBe(0);
    const [origin, position, root = ""] = stdout.split("\n");
    writeFileSync(kept, `${origin}\n${position}\n${root.startsWith("A") ? "B" : "A"}${root.slice(1)}\n`);
    expect((await run(["verify", "--expect-head", kept, ...data])).code).toBe(1);
    writeFileSync(kept, `${origin}\n${Number(position) + 100_000}\n${root}\n`);
    expect((await run(["verify", "--expect-head", kept, ...data])).code).toBe(2);
    writeFileSync(kept, "no head");
    expect((await run(["verify", "--expect-head", kept, ...data])).code).toBe(64);
  });

  test("head prints the anchor byte for byte", async () => {
    const { stdout } = await run(["head", ...data]);
    expect(stdout).toBe(readFileSync(join(here.data, "anchor"), "utf8"));
    expect(await json(["head", ...data])).toMatchObject({
      origin: expect.stringMatching(/^toolcrib\//),
      position: expect.any(Number),
      key: expect.any(String),
    });
  });

  test("export writes each event with its free values; of a session only what belongs to it", async () => {
    const big = "b".repeat(20_000);
    await run(["call", "one__echo", "-", "--session", "big", ...data], { stdin: JSON.stringify({ text: big }) });
    const all = lines((await run(["export", ...data])).stdout);
    const requested = all.find(({ type, payload }) => type === "call.requested" && (payload as { text?: string }).text === big);
    expect(requested?.["payload"]).toEqual({ text: big });
    const own = lines((await run(["export", "--session", "big", ...data])).stdout);
    expect(own.map(({ type }) => type)).toEqual(["session.opened", "call.requested", "call.dispatched", "call.settled", "call.answered"]);
    const part = lines((await run(["export", "--from", "2", "--to", "4", ...data])).stdout);
    expect(part.map(({ position }) => position)).toEqual([2, 3, 4]);
    expect((await run(["export", "--format", "otlp", ...data])).code).toBe(2);
  });
});

test("backup makes a copy that is sound, and refuses a folder that holds something", async () => {
  const to = join(here.root, "copy");
  expect(await run(["backup", `${to}/`, ...data])).toMatchObject({ code: 0, stderr: "" });
  expect((await run(["verify", "--data", to])).code).toBe(0);
  expect((await run(["backup", to, ...data])).code).toBe(1);
});

test("backup into a file makes one SQLite database and its anchor beside it, and overwrites nothing", async () => {
  const to = join(here.root, "copy.db");
  expect(await run(["backup", to, ...data])).toMatchObject({ code: 0, stderr: "" });
  using db = new Database(to, { readonly: true });
  expect(db.query<{ n: number }, []>("select count(*) as n from events_view").get()?.n).toBeGreaterThan(5);
  expect(await Bun.file(`${to}.anchor`).text()).toStartWith("toolcrib/");
  expect((await run(["backup", to, ...data])).code).toBe(1);
});

test("doctor finds a daemon, its servers and its log in order", async () => {
  const view = (await json(["doctor", "--config", here.config, ...data])) as {
    ok: boolean;
    checks: { name: string; state: string; detail: string }[];
  };
  expect(view.ok).toBe(true);
  const detail = (name: string) => view.checks.find((check) => check.name === name)?.detail;
  expect(detail("owner")).toContain(`process ${daemon.pid}`);
  expect(detail("server one")).toBe("connected");
  expect(detail("log")).toContain("the anchor fits");
});

test("a second daemon on the folder ends 69", async () => {
  const { code, stderr } = await run(["serve", "--config", here.config, ...data]);
  expect(code).toBe(69);
  expect(stderr).toContain(here.data);
});
