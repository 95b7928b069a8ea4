/** Clients that others wrote (the SDK's two major versions) against the whole product: over HTTP and through `toolcrib stdio`, in every era. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type Transport, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { CHANGE, type ConformanceDownstream, DESCRIBED, serveDownstream } from "../conformance/gateway-downstream.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { LIMIT_MS, until } from "./peers.ts";

setDefaultTimeout(LIMIT_MS);

const MAIN = join(import.meta.dir, "../../src/main.ts");

interface Tool {
  readonly name: string;
}
interface Peer {
  readonly era: string | undefined;
  list(): Promise<readonly Tool[]>;
  /** `progress` is what came in before the result. */
  call(tool: string, args?: Record<string, unknown>): Promise<{ readonly result: unknown; readonly progress: readonly unknown[] }>;
  /** Resolves when the next notice of a changed list comes. */
  changed(): Promise<void>;
  close(): Promise<void>;
}
type Way = "http" | "stdio";
type Connect = (gateway: Gateway, way: Way) => Promise<Peer>;

const forwarder = (gateway: Gateway) => ({
  command: process.execPath,
  args: [MAIN, "stdio", "--data", join(gateway.root, "data")],
  stderr: "inherit" as const,
});
const mcp = (gateway: Gateway) => new URL(`${gateway.url}/mcp`);

/**
 * Writes down the progress that a transport delivers. The clients' own callbacks miss some: a result overtakes the notifications that were
 * read together with it.
 */
function overhear(transport: object): unknown[] {
  const heard: unknown[] = [];
  const listening = transport as { onmessage?: (message: unknown, ...more: unknown[]) => void };
  const { onmessage } = listening;
  listening.onmessage = (message, ...more) => {
    const { method, params } = message as { method?: string; params?: { progress?: unknown } };
    if (method === "notifications/progress") heard.push(params?.progress);
    onmessage?.(message, ...more);
  };
  return heard;
}

/** Calls back whoever waits for the next one. */
function bell() {
  let waiting = Promise.withResolvers<void>();
  return {
    ring() {
      waiting.resolve();
      waiting = Promise.withResolvers<void>();
    },
    next: () => waiting.promise,
  };
}

const v1: Connect = async (gateway, way) => {
  const client = new OldClient({ name: "v1", version: "1" });
  const { ring, next } = bell();
  client.setNotificationHandler(ToolListChangedNotificationSchema, ring);
  const transport = way === "http" ? new OldHttp(mcp(gateway)) : new OldStdio(forwarder(gateway));
  // The two SDK lines declare `sessionId` differently under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const heard = overhear(transport);
  return {
    era: "legacy",
    list: async () => (await client.listTools()).tools,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args }, undefined, { onprogress: () => undefined });
      return { result, progress: heard.splice(0) };
    },
    changed: next,
    close: () => client.close(),
  };
};

const v2 =
  (mode: VersionNegotiationMode): Connect =>
  async (gateway, way) => {
    const { ring, next } = bell();
    const client = new Client(
      { name: "v2", version: "1" },
      { versionNegotiation: { mode }, listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: ring } } },
    );
    const transport: Transport =
      way === "http" ? new StreamableHTTPClientTransport(mcp(gateway)) : new StdioClientTransport(forwarder(gateway));
    await client.connect(transport);
    const heard = overhear(transport);
    return {
      era: client.getProtocolEra(),
      list: async () => (await client.listTools()).tools,
      async call(name, args = {}) {
        const result = await client.callTool({ name, arguments: args }, { onprogress: () => undefined });
        return { result, progress: heard.splice(0) };
      },
      changed: next,
      close: () => client.close(),
    };
  };

const CLIENTS: readonly (readonly [string, Connect, "legacy" | "modern"])[] = [
  ["v1", v1, "legacy"],
  ["v2 legacy", v2("legacy"), "legacy"],
  ["v2 auto", v2("auto"), "modern"],
  ["v2 pinned", v2({ pin: "2026-07-28" }), "modern"],
];
const PEERS = CLIENTS.flatMap(([client, connect, era]) =>
  (["http", "stdio"] as const).map((way) => ({ name: `${client} over ${way}`, connect, era, way })),
);

describe("the SDK's clients", () => {
  const eras = ["legacy", "modern"] as const;
  let downstreams: ConformanceDownstream[] = [];
  let gateway: Gateway;
  beforeAll(async () => {
    downstreams = eras.map(serveDownstream);
    gateway = await startGateway(Object.fromEntries(eras.map((era, index) => [era, { url: downstreams[index]?.url }])));
  });
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all(downstreams.map((downstream) => downstream.stop()));
  });

  describe.each(PEERS)("$name", ({ connect, era, way }) => {
    let peer: Peer;
    beforeAll(async () => {
      peer = await connect(gateway, way);
    });
    afterAll(() => peer?.close());

    test("negotiates, and sees every definition as its server wrote it", async () => {
      expect(peer.era).toBe(era);
      const tools = await peer.list();
      for (const server of eras) {
        const { description, ...rest } = DESCRIBED;
        const expected = { ...rest, name: `${server}__${DESCRIBED.name}`, description: `[${server}] ${description}` };
        expect(tools.find(({ name }) => name === expected.name)).toEqual(expected);
      }
    });

    test("gets results as they were, of servers of both eras", async () => {
      for (const server of eras) {
        expect(await peer.call(`${server}__${DESCRIBED.name}`, { n: 7 })).toMatchObject({
          result: {
            content: [{ type: "text", text: "It is 7" }],
            structuredContent: { n: 7 },
            _meta: { "example.org/result": { deep: [7] } },
          },
          progress: [],
        });
        expect(await peer.call(`${server}__test_error_handling`)).toMatchObject({ result: { isError: true } });
        expect(await peer.call(`${server}__test_tool_with_progress`)).toMatchObject({ progress: [0, 50, 100] });
      }
    });

    test("hears that a server changed its tools, and then sees the new ones", async () => {
      const before = (await peer.list()).length;
      const heard = peer.changed();
      await Promise.all(eras.map((server) => peer.call(`${server}__${CHANGE}`)));
      await heard;
      await until(async () => (await peer.list()).length === before + eras.length);
    });
  });
});
