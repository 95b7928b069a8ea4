/** The reference server over every transport there is, and through another gateway, all behind one daemon of ours. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import { type Gateway, PRIVATE, startGateway } from "./gateway.ts";
import { EVERYTHING, type HttpPeer, LIMIT_MS, MISSING, named, PROXY, startHttpPeer, stdio, temporaryFolder } from "./peers.ts";

/** How each server is reached, and what the gateway should find out about it. One tool is only for those whose client can be asked. */
const WAYS = [
  { server: "pipe", transport: "stdio", era: "legacy", protocolVersion: "2025-11-25", toolCount: 14 },
  { server: "streamable", transport: "streamable-http", era: "legacy", protocolVersion: "2025-11-25", toolCount: 14 },
  { server: "older", transport: "sse", era: "legacy", protocolVersion: "2025-11-25", toolCount: 14 },
  { server: "proxied", transport: "streamable-http", era: "modern", protocolVersion: "2026-07-28", toolCount: 13 },
] as const;
const FOUR_EVENTS = ["call.requested", "call.dispatched", "call.settled", "call.answered"];

setDefaultTimeout(LIMIT_MS);

describe.skipIf(MISSING)(named("server-everything"), () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let peers: HttpPeer[] = [];
  let gateway: Gateway;
  let client: Client;
  beforeAll(async () => {
    folder = temporaryFolder();
    const through = ["--host", "127.0.0.1"];
    const behind = ["--", process.execPath, EVERYTHING, "stdio"];
    peers = await Promise.all([
      startHttpPeer(() => [EVERYTHING, "streamableHttp"], folder.path),
      startHttpPeer(() => [EVERYTHING, "sse"], folder.path),
      startHttpPeer((port) => [PROXY, ...through, "--port", String(port), ...behind], folder.path),
    ]);
    const [streamable, older, proxied] = peers.map(({ origin }) => origin);
    gateway = await startGateway(
      {
        pipe: stdio(EVERYTHING, ["stdio"]),
        streamable: { url: `${streamable}/mcp` },
        older: { url: `${older}/sse` }, // nothing says that it is the older transport
        proxied: { url: `${proxied}/mcp` },
      },
      { wrapperMode: "eager" },
    );
    client = await gateway.client();
  });
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all(peers.map((peer) => peer.stop()));
    folder?.[Symbol.dispose]();
  });

  describe.each(WAYS)("$server", ({ server, ...facts }) => {
    const call = (tool: string, args: Record<string, unknown> = {}) => client.callTool({ name: `${server}__${tool}`, arguments: args });

    test("is shown with its transport, era and version", async () => {
      expect(await gateway.server(server)).toMatchObject({ ...facts, state: "connected", implementation: "mcp-servers/everything 2.0.0" });
      const { servers } = await gateway.debug("servers");
      expect(servers).toContainEqual(expect.objectContaining({ name: server, ...facts, state: "connected" }));
    });

    test("lists its tools under typed names, with all that was said of them", async () => {
      const { tools } = await client.listTools();
      const own = tools.filter(({ name }) => name.startsWith(`${server}__`) && !name.endsWith("-prompt"));
      expect(own).toHaveLength(facts.toolCount);
      expect(own.find(({ name }) => name.endsWith("__echo"))).toMatchObject({
        title: "Echo Tool",
        description: `[${server}] Echoes back the input string`,
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        inputSchema: { type: "object", required: ["message"] },
      });
      const structured = own.find(({ name }) => name.endsWith("__get-structured-content"));
      expect(structured?.outputSchema).toMatchObject({ type: "object", required: ["temperature", "conditions", "humidity"] });
    });

    test("gives text, and each call is four events", async () => {
      const message = 'hé \u2028 "\\" 🦀';
      expect((await call("echo", { message })).content).toEqual([{ type: "text", text: `Echo: ${message}` }]);
      expect(await gateway.eventsOf(`${server}__echo`)).toEqual(FOUR_EVENTS);
      expect((await call("get-sum", { a: 2, b: 3 })).content).toEqual([{ type: "text", text: "The sum of 2 and 3 is 5." }]);
    });

    test("gives structured content, images with annotations, links and embedded resources", async () => {
      const weather = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 };
      expect(await call("get-structured-content", { location: "Chicago" })).toMatchObject({
        structuredContent: weather,
        content: [{ type: "text", text: JSON.stringify(weather) }],
      });
      const { content } = await call("get-annotated-message", { messageType: "error", includeImage: true });
      expect(content).toEqual([
        { type: "text", text: "Error: Operation failed", annotations: { audience: ["user", "assistant"], priority: 1 } },
        { type: "image", mimeType: "image/png", data: expect.any(String), annotations: { audience: ["user"], priority: 0.5 } },
      ]);
      const [, image] = (await call("get-tiny-image")).content;
      expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
      const png = image?.type === "image" ? Buffer.from(image.data, "base64") : Buffer.alloc(0);
      expect([png.subarray(1, 4).toString(), png.subarray(-8, -4).toString()]).toEqual(["PNG", "IEND"]);
      expect((await call("get-resource-links", { count: 2 })).content.slice(1)).toMatchObject([
        { type: "resource_link", uri: "demo://resource/dynamic/blob/1", name: "Blob Resource 1", mimeType: "text/plain" },
        { type: "resource_link", uri: "demo://resource/dynamic/text/2", name: "Text Resource 2", mimeType: "text/plain" },
      ]);
      expect((await call("get-resource-reference", { resourceType: "Text", resourceId: 1 })).content[1]).toMatchObject({
        type: "resource",
        resource: { uri: "demo://resource/dynamic/text/1", mimeType: "text/plain", text: expect.stringContaining("Resource 1:") },
      });
    });

    test("gives the server's own errors as its own, and ours as ours", async () => {
      const theirs = await call("get-resource-reference", { resourceType: "Text", resourceId: -1 });
      expect([theirs.isError, theirs.structuredContent]).toEqual([true, undefined]);
      expect(JSON.stringify(theirs.content)).toContain("resourceId");
      const refused = await call("echo", { message: 7 });
      expect(refused).toMatchObject({ structuredContent: { error: { code: "invalid_arguments", certainty: "not_applied" } } });
      expect(JSON.stringify(refused.content)).toContain("message: type");
      const incomplete = await call("echo", {});
      expect(incomplete).toMatchObject({ structuredContent: { error: { code: "invalid_arguments", certainty: "not_applied" } } });
      expect(JSON.stringify(incomplete.content)).toContain("needs");
      expect(await call("no-such-tool")).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "tool_not_found", certainty: "not_applied" } },
      });
    });

    test("tells its progress", async () => {
      const seen: unknown[] = [];
      const long = { name: `${server}__trigger-long-running-operation`, arguments: { duration: 0.2, steps: 4 } };
      const { content } = await client.callTool(long, { onprogress: (progress) => seen.push(progress) });
      expect(content).toEqual([{ type: "text", text: "Long running operation completed. Duration: 0.2 seconds, Steps: 4." }]);
      const all = [1, 2, 3, 4].map((progress) => ({ progress, total: 4 }));
      // mcp-proxy itself, asked directly, loses the last one now and then.
      expect(seen.slice(0, server === "proxied" ? 3 : 4)).toEqual(server === "proxied" ? all.slice(0, 3) : all);
    });
  });

  test("a server that we start gets none of our own variables", async () => {
    const { content } = await client.callTool({ name: "pipe__get-env", arguments: {} });
    const variables = Object.keys(JSON.parse(content[0]?.type === "text" ? content[0].text : "{}"));
    expect(variables).toContain("PATH");
    expect(variables).not.toContain(PRIVATE);
  });
});
