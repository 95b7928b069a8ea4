/** What an HTTP failure says of a call: certainly not sent, or lost. */
import { afterEach, expect, test } from "bun:test";
import { type HttpServer, serve, serveFaulty } from "../../fixtures/servers/http-servers.ts";
import { closeAll, http, open, until } from "./support.ts";

const servers: HttpServer[] = [];
afterEach(async () => {
  await closeAll();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

function running(server: HttpServer): HttpServer {
  servers.push(server);
  return server;
}

const call = { tool: "any", arguments: {} };

test.each([
  [400, "not_sent"],
  [401, "not_sent"],
  [404, "not_sent"],
  [429, "not_sent"],
  [500, "lost"],
  [502, "lost"],
  [504, "lost"],
] as const)("HTTP %i means %s, and the connection goes on", async (status, kind) => {
  const server = running(serveFaulty(() => new Response("no", { status })));
  const { downstream, closed } = await open(http(server.url));
  expect(await downstream.call(call)).toEqual({ kind, status, reason: `the server answered with HTTP ${status}` });
  expect(closed).toEqual([]);
  expect(server.seen.filter(({ rpc }) => rpc === "tools/call")).toHaveLength(1);
});

test("an HTTP error that carries the answer is that answer", async () => {
  const server = running(
    serveFaulty(({ id }) => Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: "bad arguments" } }, { status: 400 })),
  );
  const { downstream } = await open(http(server.url));
  expect(await downstream.call(call)).toEqual({ kind: "rpc_error", code: -32602, message: "bad arguments" });
});

test("a refused connection means not sent", async () => {
  const server = serveFaulty(() => new Response());
  const { downstream } = await open(http(server.url));
  await server.stop();
  expect(await downstream.call(call)).toEqual({ kind: "not_sent", reason: "connection refused" });
});

test.each([
  ["no JSON", () => new Response("oops", { headers: { "content-type": "application/json" } })],
  ["no JSON-RPC", () => Response.json({ hello: "world" })],
  ["a web page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ["neither result nor error", ({ id }: Record<string, unknown>) => Response.json({ jsonrpc: "2.0", id })],
  ["an event stream that ends without it", () => new Response("event: message\n\n", { headers: { "content-type": "text/event-stream" } })],
])("an answer that cannot be read means lost: %s", async (_, reply) => {
  const { downstream } = await open(http(running(serveFaulty(reply)).url));
  expect(await downstream.call(call)).toMatchObject({ kind: "lost" });
});

test.each([
  ["in one piece", (body: string) => new Response(body, { headers: { "content-type": "application/json" } })],
  [
    "in chunks of unknown length",
    (body: string) => new Response(new Blob([body]).stream(), { headers: { "content-type": "application/json" } }),
  ],
  ["as an event", (body: string) => new Response(`data: ${body}\n\n`, { headers: { "content-type": "text/event-stream" } })],
])("an answer above the limit means lost, %s; one below it is passed on", async (_, reply) => {
  const result = (id: unknown, bytes: number) => JSON.stringify({ jsonrpc: "2.0", id, result: { content: [], text: "x".repeat(bytes) } });
  const server = running(serveFaulty((body) => reply(result(body["id"], Number((body["params"] as { name: string }).name)))));
  const { downstream, closed } = await open(http(server.url), { maxMessageBytes: 10_000 });
  expect(await downstream.call({ tool: "200000", arguments: {} })).toMatchObject({ kind: "lost" });
  expect(await downstream.call({ tool: "9000", arguments: {} })).toMatchObject({ kind: "result" });
  expect(closed).toEqual([]);
});

test("a reset in mid answer means lost, and the request is not repeated", async () => {
  let requests = 0;
  const server = running(
    serveFaulty(() => {
      requests++;
      const stream = new ReadableStream<string>({ start: (controller) => controller.enqueue(": working\n\n") });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    }),
  );
  const { downstream } = await open(http(server.url));
  const answer = downstream.call(call);
  await until(() => requests === 1);
  await server.stop();
  expect(await answer).toMatchObject({ kind: "lost" });
  expect(requests).toBe(1);
});

test("a socket that closes without a byte means lost, and the request is not repeated", async () => {
  let requests = 0;
  const faulty = running(serveFaulty(() => new Response()));
  // In front of it: passes everything on but drops the connection at a call.
  const proxy = Bun.listen<{ behind?: Promise<unknown> }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      async data(socket, data) {
        const text = data.toString();
        if (text.includes('"tools/call"')) {
          requests++;
          socket.terminate();
          return;
        }
        const body = text.slice(text.indexOf("\r\n\r\n") + 4);
        const answer = await fetch(faulty.url, { method: text.split(" ", 1)[0] ?? "GET", ...(body === "" ? {} : { body }) });
        const content = await answer.text();
        const type = answer.headers.get("content-type") ?? "text/plain";
        socket.write(
          `HTTP/1.1 ${answer.status} X\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(content)}\r\n\r\n${content}`,
        );
      },
    },
  });
  const { downstream } = await open(http(`http://127.0.0.1:${proxy.port}/mcp`));
  expect(await downstream.call(call)).toMatchObject({ kind: "lost" });
  expect(requests).toBe(1);
  await downstream.close();
  proxy.stop(true);
});

test.each([
  [401, "Check the credentials"],
  [403, "Check the credentials"],
  [404, "Check the path"],
  [500, "look at its own log"],
])("a connection refused with HTTP %i says what to do", async (status, advice) => {
  const server = running(serve(() => new Response("no", { status })));
  await expect(open(http(`${server.url}?token=secret`))).rejects.toThrow(`Cannot connect to ${server.url}: HTTP ${status}. `);
  await expect(open(http(server.url))).rejects.toThrow(advice);
});

test("nobody listening, an unknown host, a server that never answers", async () => {
  const gone = serve(() => new Response());
  await gone.stop();
  await expect(open(http(gone.url))).rejects.toThrow("connection refused. Check the address and that the server runs.");
  await expect(open(http("http://no-such-host.invalid/mcp"))).rejects.toThrow("no such host");
  for (const mode of ["auto", "sse"] as const) {
    const silent = running(serve(() => new Promise(() => undefined)));
    await expect(open(http(silent.url, mode), { connectTimeoutMs: 300 })).rejects.toThrow("no answer within 300 ms");
  }
});

test.each(["not a url", "file:///etc/passwd"])("an address that is no HTTP address is refused: %s", async (url) => {
  await expect(open(http(url))).rejects.toThrow("has to be an http:// or https:// address");
});

test("credentials in the address are not repeated in the error", async () => {
  const error = await open(http("http://user:hunter2@127.0.0.1:1/mcp?key=hunter2")).catch((reason: unknown) => String(reason));
  expect(error).toContain("Cannot connect to http://127.0.0.1:1/mcp");
  expect(error).not.toContain("hunter2");
});
