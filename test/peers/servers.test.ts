/** Servers that do something outside of themselves: files, a knowledge graph on disk, a database; and one that only thinks. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { type Gateway, startGateway } from "./gateway.ts";
import {
  DBHUB,
  FILESYSTEM,
  type HttpPeer,
  LIMIT_MS,
  MEMORY,
  MISSING,
  named,
  startHttpPeer,
  stdio,
  THINKING,
  temporaryFolder,
} from "./peers.ts";

const FOUR_EVENTS = ["call.requested", "call.dispatched", "call.settled", "call.answered"];

setDefaultTimeout(LIMIT_MS);

describe.skipIf(MISSING)(named("servers with effects"), () => {
  let folder: ReturnType<typeof temporaryFolder>;
  const graph = () => join(folder.path, "graph.jsonl");
  let http: HttpPeer;
  let gateway: Gateway;
  let client: Client;
  beforeAll(async () => {
    folder = temporaryFolder();
    http = await startHttpPeer((port) => [DBHUB, "--transport", "http", "--port", String(port), "--demo"], folder.path);
    gateway = await startGateway({
      files: stdio(FILESYSTEM, [folder.path]),
      memory: stdio(MEMORY, [], { env: { MEMORY_FILE_PATH: graph() } }),
      thinking: stdio(THINKING),
      db: stdio(DBHUB, ["--demo"], { cwd: folder.path }),
      "db-http": { url: `${http.origin}/mcp` },
    });
    client = await gateway.client();
  });
  afterAll(async () => {
    await gateway?.stop();
    await http?.stop();
    folder?.[Symbol.dispose]();
  });
  const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });

  test.each([
    ["files", "stdio", "legacy", "2025-11-25", 14],
    ["memory", "stdio", "legacy", "2025-11-25", 9],
    ["thinking", "stdio", "legacy", "2025-11-25", 1],
    ["db", "stdio", "modern", "2026-07-28", 2],
    ["db-http", "streamable-http", "modern", "2026-07-28", 2],
  ])("%s is shown and lists its tools", async (name, transport, era, protocolVersion, toolCount) => {
    expect(await gateway.server(name)).toMatchObject({ state: "connected", transport, era, protocolVersion, toolCount });
    const own = (await client.listTools()).tools.filter((tool) => tool.name.startsWith(`${name}__`));
    expect(own).toHaveLength(toolCount);
    for (const { description } of own) expect(description).toStartWith(`[${name}] `);
  });

  test("a file that is written is there, and each call is four events", async () => {
    const path = join(folder.path, "notes é.txt");
    const content = "first\r\nsecond \u2028 🦀\n";
    expect(await call("files__write_file", { path, content })).toMatchObject({
      structuredContent: { content: `Successfully wrote to ${path}` },
    });
    expect(readFileSync(path, "utf8")).toBe(content);
    expect(await gateway.eventsOf("files__write_file")).toEqual(FOUR_EVENTS);
    expect(await call("files__read_text_file", { path })).toMatchObject({ structuredContent: { content }, content: [{ text: content }] });
    await call("files__edit_file", { path, edits: [{ oldText: "first", newText: "1st" }] });
    expect(readFileSync(path, "utf8")).toStartWith("1st");
    await call("files__move_file", { source: path, destination: join(folder.path, "moved.txt") });
    expect(readFileSync(join(folder.path, "moved.txt"), "utf8")).toStartWith("1st");
  });

  test("the hints of a server are shown, but decide nothing about how sure we are", async () => {
    const { tools } = await client.listTools();
    const write = tools.find(({ name }) => name === "files__write_file");
    expect(write?.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false });
    const { tools: registered } = (await gateway.server("files")) as { tools?: readonly { tool: string; capability: string }[] };
    expect(registered?.find(({ tool }) => tool === "read_text_file")?.capability).toBe("mutating");
  });

  test("what a server will not do is its own error, and nothing happened", async () => {
    const path = join(folder.path, "..", "toolcrib-outside.txt");
    expect(await call("files__write_file", { path, content: "no" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Access denied - path outside allowed directories") }],
    });
    expect(await Bun.file(path).exists()).toBe(false);
    expect(await gateway.eventsOf("files__write_file")).toEqual(FOUR_EVENTS);
  });

  test("the graph that is told is the graph that is read, and lies on disk", async () => {
    const entities = [{ name: "Ada", entityType: "person", observations: ["wrote notes"] }];
    expect((await call("memory__create_entities", { entities })).structuredContent).toEqual({ entities });
    const relations = [{ from: "Ada", to: "Ada", relationType: "knows" }];
    await call("memory__create_relations", { relations });
    expect((await call("memory__read_graph")).structuredContent).toEqual({ entities, relations });
    expect((await call("memory__search_nodes", { query: "notes" })).structuredContent).toMatchObject({ entities });
    expect(readFileSync(graph(), "utf8")).toContain('"wrote notes"');
    expect(await gateway.eventsOf("memory__read_graph")).toEqual(FOUR_EVENTS);
  });

  test("a thought is counted", async () => {
    const thought = { thought: "one", nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 };
    expect((await call("thinking__sequentialthinking", thought)).structuredContent).toMatchObject({ thoughtHistoryLength: 1 });
    const next = { ...thought, thought: "two", thoughtNumber: 2, nextThoughtNeeded: false };
    expect((await call("thinking__sequentialthinking", next)).structuredContent).toEqual({
      thoughtNumber: 2,
      totalThoughts: 2,
      nextThoughtNeeded: false,
      branches: [],
      thoughtHistoryLength: 2,
    });
    expect(await gateway.eventsOf("thinking__sequentialthinking")).toEqual(FOUR_EVENTS);
  });

  test.each(["db", "db-http"])("%s, a modern server, answers and refuses", async (server) => {
    const ask = async (sql: string) => {
      const { content, isError } = await call(`${server}__execute_sql`, { sql });
      return { isError, answer: JSON.parse(content[0]?.type === "text" ? content[0].text : "") };
    };
    expect((await ask("select 40 + 2 as answer")).answer).toMatchObject({
      success: true,
      data: { statements: [{ rows: [{ answer: 42 }] }] },
    });
    expect(await gateway.eventsOf(`${server}__execute_sql`)).toEqual(FOUR_EVENTS);
    expect(await ask("select 1 from nowhere")).toMatchObject({ isError: true, answer: { success: false, code: "EXECUTION_ERROR" } });
    const { content } = await call(`${server}__search_objects`, { object_type: "table", pattern: "dept%" });
    expect(content).toMatchObject([{ type: "text", text: expect.stringContaining('"dept_manager"') }]);
  });

  test("a modern server's name does not stand for ours", async () => {
    const { _meta } = await call("db__execute_sql", { sql: "select 1" });
    expect(_meta).toMatchObject({ "io.modelcontextprotocol/serverInfo": { name: "toolcrib" } });
  });
});
