/** Calls that do not end as they should: the peer is killed under them, or the client takes them back. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { type Gateway, startGateway } from "./gateway.ts";
import { EVERYTHING, FILESYSTEM, type HttpPeer, LIMIT_MS, MISSING, named, startHttpPeer, stdio, temporaryFolder, until } from "./peers.ts";

setDefaultTimeout(LIMIT_MS);

const LONG = "trigger-long-running-operation";

describe.skipIf(MISSING)(named("cut off"), () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let peers: HttpPeer[] = [];
  let gateway: Gateway;
  beforeAll(async () => {
    folder = temporaryFolder();
    peers = await Promise.all([
      startHttpPeer(() => [EVERYTHING, "streamableHttp"], folder.path),
      startHttpPeer(() => [EVERYTHING, "sse"], folder.path),
    ]);
    const everything = stdio(EVERYTHING, ["stdio"]);
    gateway = await startGateway({
      pipe: everything,
      files: stdio(FILESYSTEM, [folder.path]),
      reader: { ...everything, env: { ANOTHER: "1" }, tools: { [LONG]: { capability: "read" } } },
      streamable: { url: `${peers[0]?.origin}/mcp` },
      older: { url: `${peers[1]?.origin}/sse` },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await Promise.all(peers.map((peer) => peer.stop()));
    folder?.[Symbol.dispose]();
  });

  const callIn = ({ structuredContent }: { structuredContent?: unknown }) =>
    (structuredContent as { readonly error?: { readonly callId?: string } }).error?.callId ?? "none";

  /** Starts a call that tells its progress 20 times a second; `begun` resolves with its first progress. */
  function startLong(client: Client, server: string, seconds: number, signal?: AbortSignal) {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const steps = seconds * 20;
    const options = { onprogress: () => resolve(), ...(signal && { signal }) };
    const ended = client.callTool({ name: `${server}__${LONG}`, arguments: { duration: seconds, steps } }, options);
    ended.catch(() => undefined);
    return { begun, ended };
  }

  /** Kills the process as the kernel would and waits until there is another one. */
  async function kill(server: string): Promise<void> {
    const { pid } = await gateway.server(server);
    if (pid === undefined) throw new Error(`${server} has no process`);
    process.kill(pid, "SIGKILL");
    await until(async () => {
      const now = await gateway.server(server);
      return now.state === "connected" && now.pid !== pid;
    });
  }

  test.each(["legacy", "auto"] as const)(
    "a killed server leaves its call in doubt, and the session goes on with a new one (%s)",
    async (mode) => {
      const client = await gateway.client(mode);
      const { begun, ended } = startLong(client, "pipe", 2);
      await begun;
      await kill("pipe");
      const result = await ended;
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "execution_failed", certainty: "in_doubt", retryable: false } },
      });
      expect(await gateway.eventsOf(`pipe__${LONG}`)).toEqual(["call.requested", "call.dispatched", "call.settled", "call.answered"]);
      expect(await gateway.debug(`calls/${callIn(result)}`)).toMatchObject({ status: "ended", certainty: "in_doubt" });
      const { content } = await client.callTool({ name: "pipe__echo", arguments: { message: "again" } });
      expect(content.at(-1)).toEqual({ type: "text", text: "Echo: again" });
    },
  );

  test("a write in doubt is not repeated until somebody has looked whether it happened", async () => {
    const client = await gateway.client();
    const path = join(folder.path, "maybe.txt");
    const write = () => client.callTool({ name: "files__write_file", arguments: { path, content: "once" } });
    const { pid = 0 } = await gateway.server("files");
    process.kill(pid, "SIGSTOP"); // it has the call, and never gets to it
    const lost = write();
    await until(async () => (await gateway.server("files"))["inFlight"] === 1);
    await kill("files");
    const call = callIn(await lost);
    expect(await write()).toMatchObject({ isError: true, structuredContent: { error: { code: "in_doubt", callId: call } } });
    expect(await Bun.file(path).exists()).toBe(false);
    await client.callTool({ name: "resolve_call", arguments: { call, outcome: "not_applied" } });
    expect(await gateway.debug(`calls/${call}`)).toMatchObject({ doubt: { outcome: "not_applied" } });
    expect((await write()).isError).toBeUndefined();
    expect(await Bun.file(path).text()).toBe("once");
  });

  test("a killed server leaves a read undone, and it may be repeated", async () => {
    const client = await gateway.client();
    const { begun, ended } = startLong(client, "reader", 30);
    await begun;
    await kill("reader");
    expect(await ended).toMatchObject({
      structuredContent: { error: { code: "execution_failed", certainty: "not_applied", retryable: true } },
    });
    const again = await client.callTool({ name: `reader__${LONG}`, arguments: { duration: 0.1, steps: 1 } });
    expect(again.isError).toBeUndefined();
  });

  test.each([
    ["streamable", 0],
    ["older", 1],
  ] as const)("a restarted HTTP server (%s) leaves its call in doubt at once, and is found again", async (server, index) => {
    const client = await gateway.client();
    const { begun, ended } = startLong(client, server, 30);
    await begun;
    await peers[index]?.restart();
    const result = await ended; // long before its deadline, at which it would be a `timeout`
    expect(result).toMatchObject({ structuredContent: { error: { code: "execution_failed", certainty: "in_doubt", retryable: false } } });
    await until(async () => (await gateway.server(server)).state === "connected");
    const { content } = await client.callTool({ name: `${server}__echo`, arguments: { message: "again" } });
    expect(content.at(-1)).toEqual({ type: "text", text: "Echo: again" });
  });

  test("a cancelled call is cancelled at the server, over every transport", async () => {
    const servers = ["pipe", "streamable", "older"];
    const client = await gateway.client("legacy");
    await Promise.all(
      servers.map(async (server) => {
        const controller = new AbortController();
        // It would end in half a second, and this server does not answer what was cancelled.
        const { begun, ended } = startLong(client, server, 0.5, controller.signal);
        await begun;
        controller.abort("the user went away");
        await expect(ended).rejects.toThrow();
        const call = await until(async () => {
          const { calls } = (await gateway.debug(`calls?name=${server}__${LONG}&status=ended&limit=1000`)) as {
            readonly calls?: readonly { readonly code?: string; readonly certainty?: string }[];
          };
          return calls?.find(({ code }) => code === "cancelled");
        });
        expect(call).toMatchObject({ certainty: "in_doubt" });
        expect((await client.callTool({ name: `${server}__get-sum`, arguments: { a: 1, b: 1 } })).content.at(-1)).toMatchObject({
          text: "The sum of 1 and 1 is 2.",
        });
      }),
    );
  });
});
