/** Real clients (the SDK's two major versions, every way of negotiating) against the edge. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client, type FetchLike, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { createFixtureBackend, type FixtureBackend } from "./fixture-backend.ts";
import { type Served, serve } from "./serve.ts";

interface Peer {
  list(): Promise<string[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    options?: { signal?: AbortSignal; onprogress?: (progress: { progress: number }) => void },
  ): Promise<unknown>;
  /** Resolves when the server says that the list has changed. */
  readonly changed: Promise<void>;
  readonly era: string | undefined;
  readonly sessionId: string | undefined;
  close(): Promise<void>;
}

type Connect = (url: URL, agent?: string, name?: string) => Promise<Peer>;

const asAgent = (agent: string): { requestInit: RequestInit } => ({ requestInit: { headers: { "x-agent": agent } } });

async function v1(url: URL, agent = "tester", name = "v1"): Promise<Peer> {
  const client = new OldClient({ name, version: "1" });
  const transport = new OldTransport(url, asAgent(agent));
  const changed = Promise.withResolvers<void>();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
  // The two SDK lines declare `sessionId` differently under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, undefined, options),
    changed: changed.promise,
    era: "legacy",
    sessionId: transport.sessionId,
    close: () => client.close(),
  };
}

function v2(mode: VersionNegotiationMode): Connect {
  return async (url, agent = "tester", name = "v2") => {
    const changed = Promise.withResolvers<void>();
    const client = new Client(
      { name, version: "1" },
      {
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.resolve() } },
      },
    );
    const transport = new StreamableHTTPClientTransport(url, asAgent(agent));
    await client.connect(transport);
    return {
      list: async () => (await client.listTools()).tools.map((tool) => tool.name),
      call: (tool, args, options) => client.callTool({ name: tool, arguments: args }, options),
      changed: changed.promise,
      era: client.getProtocolEra(),
      sessionId: transport.sessionId,
      close: () => client.close(),
    };
  };
}

const peers: readonly (readonly [string, Connect, "legacy" | "modern"])[] = [
  ["v1", v1, "legacy"],
  ["v2 legacy", v2("legacy"), "legacy"],
  ["v2 auto", v2("auto"), "modern"],
  ["v2 pinned", v2({ pin: "2026-07-28" }), "modern"],
];

for (const [name, connect, era] of peers) {
  describe(name, () => {
    let backend: FixtureBackend;
    let served: Served;
    let peer: Peer;
    beforeAll(async () => {
      backend = createFixtureBackend();
      served = serve(backend);
      peer = await connect(served.url);
    });
    afterAll(async () => {
      await peer.close();
      await served.close();
    });

    test("negotiates its era, lists and calls", async () => {
      expect(peer.era).toBe(era);
      expect(await peer.list()).toContain("echo");
      const before = served.edge.handCalls();
      expect(await peer.call("echo", { text: "hello" })).toMatchObject({
        content: [{ type: "text", text: expect.stringContaining("hello") }],
      });
      expect(served.edge.handCalls()).toBe(before + 1);
      expect(await peer.call("list", {})).toMatchObject({ structuredContent: era === "legacy" ? { result: [1, 2, 3] } : [1, 2, 3] });
    });

    test("hears of progress, all of it before the result", async () => {
      const seen: number[] = [];
      await peer.call("steps", {}, { onprogress: ({ progress }) => seen.push(progress) });
      expect(seen).toEqual([1, 2, 3]);
    });

    test("cancels a call", async () => {
      const abort = new AbortController();
      const call = peer.call("hold", {}, { signal: abort.signal });
      call.catch(() => undefined);
      await backend.started("hold");
      abort.abort();
      await expect(call).rejects.toThrow();
      while (backend.aborted.length === 0) await Bun.sleep(5);
      // A modern client cancels by hanging up.
      expect(backend.aborted).toEqual([era === "legacy" ? "cancelled" : "disconnected"]);
      expect(await peer.call("echo", { text: "still here" })).toBeDefined();
    });

    test("hears of a changed list, and only of its own", async () => {
      const other = await connect(served.url, "other", "somebody else");
      await other.call("echo", {});
      await peer.call("echo", {});
      let heard = false;
      void other.changed.then(() => {
        heard = true;
      });
      const own = backend.calls.at(-1)?.session ?? "";
      backend.addTool(own, { name: "added", inputSchema: { type: "object" } });
      await peer.changed;
      expect(await peer.list()).toContain("added");
      expect(await other.list()).not.toContain("added");
      expect(heard).toBe(false);
      await other.close();
    });

    test("goes on after a restart of ours", async () => {
      const before = backend.calls.at(-1)?.session;
      const port = Number(served.url.port);
      await served.close();
      served = serve(backend, {}, port);
      expect(await peer.call("echo", { text: "after" })).toMatchObject({ content: [{ type: "text" }] });
      expect(backend.calls.at(-1)?.session).toBe(before);
      expect(await peer.list()).toContain("added");
    });
  });
}

test("a legacy client's capabilities survive a restart: the SDK server can ask it again", async () => {
  const backend = createFixtureBackend({ plain: false });
  let served = serve(backend);
  const client = new Client({ name: "asked", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler("elicitation/create", async () => ({ action: "accept" as const, content: { name: "Ada" } }));
  const transport = new StreamableHTTPClientTransport(served.url);
  await client.connect(transport);
  const ask = () => client.callTool({ name: "ask", arguments: {} });
  expect(JSON.stringify(await ask())).toContain("Ada");
  const port = Number(served.url.port);
  await served.close();
  served = serve(backend, {}, port);
  expect(JSON.stringify(await ask())).toContain("Ada");
  await client.close();
  await served.close();
});

test("a modern client works without a socket", async () => {
  const served = serve(createFixtureBackend());
  const direct: FetchLike = (url, init) => served.edge.fetch(new Request(String(url), init), { agent: "tester", profile: "default" });
  const client = new Client({ name: "inside", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(served.url, { fetch: direct }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(3);
  await client.close();
  await served.close();
});
