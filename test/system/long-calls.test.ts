/** Clients that give up after a while of silence wait for a long call as long as they hear of it. */
import { afterEach, expect, jest, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createBackend } from "../../src/doors/backend.ts";
import { createSessions } from "../../src/doors/sessions.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import { fakeServer, harness, text } from "../harness.ts";
import { type Served, serve } from "../mcp/upstream/serve.ts";

/** As most clients do. */
const PATIENCE_MS = 60_000;
const BEAT_MS = 10_000;

let served: Served | undefined;
afterEach(async () => {
  jest.useRealTimers();
  await served?.close();
});

interface Options {
  readonly timeout: number;
  readonly resetTimeoutOnProgress: true;
  readonly onprogress?: (progress: { readonly progress: number; readonly total?: number | undefined }) => void;
}
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};
type Peer = { call(options: Options): Promise<unknown>; close(): Promise<void> };

async function legacy(url: URL): Promise<Peer> {
  const client = new LegacyClient({ name: "legacy", version: "1" });
  await client.connect(new LegacyTransport(url) as Parameters<typeof client.connect>[0]);
  return { call: (options) => client.callTool({ name: "mail__act" }, undefined, options), close: () => client.close() };
}
async function modern(url: URL): Promise<Peer> {
  const client = new Client({ name: "modern", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(url));
  return { call: (options) => client.callTool({ name: "mail__act" }, options), close: () => client.close() };
}

async function world(connect: (url: URL) => Promise<Peer>) {
  const mail = fakeServer();
  const made = await harness({ servers: { mail }, policies: { mail: { toolTimeoutMs: 600_000 } } });
  let drawn = 0;
  const sessions = createSessions({ ...made, limitOf: () => 0, now: made.clock.now, randomId: () => `${++drawn}`.padStart(32, "0") });
  served = serve(
    createBackend({ ...made, version: "0", sessions, lists: createToolLists(made), orientation: () => "", settling: () => false }),
  );
  return { ...made, mail, peer: await connect(served.url) };
}
const clients = [
  ["legacy", legacy],
  ["modern", modern],
] as const;

test.each(clients)("a %s client that does not ask for progress gives up after a minute", async (_, connect) => {
  const { mail, peer } = await world(connect);
  jest.useFakeTimers({ now: Date.now() });
  const result = peer.call({ timeout: PATIENCE_MS, resetTimeoutOnProgress: true });
  await until(() => mail.calls.length > 0);
  jest.advanceTimersByTime(PATIENCE_MS);
  await expect(result).rejects.toThrow("timed out");
});

test.each(clients)("a %s client that asks for it hears of a call of five minutes until it has its answer", async (_, connect) => {
  const { mail, peer, clock } = await world(connect);
  jest.useFakeTimers({ now: Date.now() });
  const heard: { readonly progress: number; readonly total?: number | undefined }[] = [];
  let onWord = (): void => undefined;
  const onprogress: NonNullable<Options["onprogress"]> = (progress) => {
    heard.push(progress);
    onWord();
  };
  const result = peer.call({ timeout: PATIENCE_MS, resetTimeoutOnProgress: true, onprogress });
  await until(() => mail.calls.length > 0);
  for (let elapsed = 0; elapsed < 300_000; elapsed += BEAT_MS) {
    const word = new Promise<void>((resolve) => {
      onWord = resolve;
    });
    if (elapsed === 100_000) mail.calls[0]?.request.onProgress?.({ progress: 40, total: 100 });
    else await clock.advance(BEAT_MS);
    jest.advanceTimersByTime(BEAT_MS - 1);
    await word;
    jest.advanceTimersByTime(1);
  }
  mail.calls[0]?.answer(text("at last"));
  expect(await result).toMatchObject({ content: [{ type: "text", text: "at last" }] });
  for (const [index, { progress }] of heard.entries()) expect(progress).toBeGreaterThan(heard[index - 1]?.progress ?? -1);
  expect(heard.filter(({ total }) => total !== undefined)).toEqual([{ progress: 40, total: 100 }]);
  await peer.close();
});
