/** Starts that cannot succeed: each ends with its own exit code and a sentence that says what to do, and leaves what it found as it was. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canMount, fixtureServer, makePlace, mountTmpfs, type Place, PROGRAM, send, startDaemon } from "./daemon-fixture.ts";

/** Makes `events.db`, and returns what is in the file. */
function makeDatabase(place: Place, ...statements: string[]): Uint8Array {
  const path = join(place.data, "events.db");
  mkdirSync(place.data, { recursive: true });
  using db = new Database(path);
  for (const statement of statements) db.run(statement);
  db.close();
  return readFileSync(path);
}

const isRoot = process.getuid?.() === 0;
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const runs = (command: string[]): boolean => Bun.which(command[0] ?? "") !== null && Bun.spawnSync(command).success;

async function refused(place: Place, options: Parameters<typeof startDaemon>[1] = {}) {
  await using daemon = startDaemon(place, options);
  const code = await daemon.ended;
  return { code, said: daemon.stderr() };
}

async function makeLog(place: Place): Promise<void> {
  await using daemon = startDaemon(place);
  await daemon.url;
  await daemon.stop();
}

describe("a data folder", () => {
  test("with the database of another program: 65, and the file is as it was", async () => {
    using place = makePlace();
    const before = makeDatabase(place, "create table notes (text)", "insert into notes values ('mine')");
    const { code, said } = await refused(place);
    expect({ code, said }).toEqual({ code: 65, said: expect.stringMatching(/^toolcrib: .*events\.db.*another/s) });
    expect(readFileSync(join(place.data, "events.db"))).toEqual(Buffer.from(before));
  });

  test("with a file that is no database: 65, and the file is as it was", async () => {
    using place = makePlace();
    mkdirSync(place.data);
    const text = "these are my notes\n".repeat(1000);
    writeFileSync(join(place.data, "events.db"), text);
    const { code, said } = await refused(place);
    expect({ code, said }).toEqual({ code: 65, said: expect.stringContaining("events.db") });
    expect(readFileSync(join(place.data, "events.db"), "utf8")).toBe(text);
  });

  test("with the log of a newer release: 65, and the log is as it was", async () => {
    using place = makePlace();
    await makeLog(place);
    const before = makeDatabase(place, "pragma user_version = 9999");
    const { code, said } = await refused(place);
    expect({ code, said }).toEqual({ code: 65, said: expect.stringMatching(/newer|later/) });
    expect(readFileSync(join(place.data, "events.db"))).toEqual(Buffer.from(before));
  });

  test("that another process has: 69, and that one serves on", async () => {
    using place = makePlace();
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    const { code, said } = await refused(place);
    expect({ code, said }).toEqual({ code: 69, said: expect.stringMatching(/another toolcrib is using/) });
    expect((await send(url, "/readyz")).status).toBe(200);
  });

  test("that is a file: a clear error", async () => {
    using place = makePlace();
    writeFileSync(place.data, "");
    const { code, said } = await refused(place);
    expect(code).not.toBe(0);
    expect(said).toMatch(/^toolcrib: the data folder .*data cannot be made: there is a file of that name\. Choose another with --data$/m);
    expect(said).not.toMatch(/\bat |E[A-Z]{4,}/); // no stack, no words of the system
  });
});

describe.skipIf(isRoot && !runs([...asNobody, "cat", PROGRAM.at(-1) ?? ""]))(
  "a data folder (needs a user that may not write to it)",
  () => {
    test("that is another user's: 77", async () => {
      using place = makePlace();
      mkdirSync(place.data, { mode: 0o555 });
      chmodSync(place.root, 0o755);
      const { code, said } = await refused(place, { under: isRoot ? asNobody : [] });
      expect({ code, said }).toEqual({ code: 77, said: expect.stringContaining(place.data) });
    });
  },
);

describe.skipIf(!canMount)("a data folder (needs root, to mount a file system)", () => {
  test("on a read-only file system: 77, and nothing is made", async () => {
    using place = makePlace();
    using _ = mountTmpfs(place.data, "ro,size=64m");
    const { code, said } = await refused(place);
    expect({ code, said }).toEqual({ code: 77, said: expect.stringContaining(place.data) });
    expect(readdirSync(place.data)).toEqual([]);
  });
});

test("an address in use: 69, and the message names it", async () => {
  using place = makePlace();
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("mine") });
  try {
    const { code, said } = await refused(place, { listen: `127.0.0.1:${other.port}` });
    expect({ code, said }).toEqual({
      code: 69,
      said: expect.stringContaining(`cannot listen on 127.0.0.1:${other.port}: another program`),
    });
    expect(said).toContain("--listen");
  } finally {
    await other.stop(true);
  }
});

describe("a configuration", () => {
  test.each([
    ["that is not JSON", '{"mcpServers": {', "toolcrib.jsonc:1"],
    ["that is empty", "", "toolcrib.jsonc"],
    ["that is no object", "[1, 2]", "toolcrib.jsonc"],
    ["with an unknown key", { mcpServer: {} }, "mcpServers"],
    ["with an unknown key in a server", { mcpServers: { a: { ...fixtureServer(), comand: "x" } } }, "command"],
    ["with a value of the wrong kind", { bridge: { maxTimeoutMs: "soon" } }, "maxTimeoutMs"],
    ["with two servers that differ in case only", { mcpServers: { Mail: fixtureServer(), mail: fixtureServer() } }, "case does not count"],
    ["nested 100,000 deep", `${"[".repeat(100_000)}`, "toolcrib.jsonc"],
  ])("%s: 78, and the message names the place", async (_, config, hint) => {
    using place = makePlace(config);
    const { code, said } = await refused(place);
    expect({ code, said }).toEqual({ code: 78, said: expect.stringContaining(hint) });
  });

  test("that is not there: 78", async () => {
    using place = makePlace();
    const { code, said } = await refused({ ...place, config: join(place.root, "other.jsonc") });
    expect({ code, said }).toEqual({ code: 78, said: expect.stringContaining("other.jsonc") });
  });

  test("with a server that cannot be resolved: it serves, and says which one is not there", async () => {
    using place = makePlace({ mcpServers: { a: { ...fixtureServer(), env: { X: `\${env:NOT_SET_ANYWHERE}` } } } });
    await using daemon = startDaemon(place);
    expect((await send(await daemon.url, "/readyz")).status).toBe(200);
    expect(daemon.stderr()).toContain("NOT_SET_ANYWHERE");
    expect(await daemon.stop()).toBe(0);
  });
});
