/** The bounded fetch: what is above the limit does not reach us, what is below does. */
import { afterEach, expect, test } from "bun:test";
import { createFetch, cutLines, strictly } from "../../../src/mcp/downstream/fetch.ts";

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

function serving(reply: () => Response): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: reply });
  servers.push(server);
  return server.url.href;
}

test("in an event stream an over-long line loses its end, its neighbours nothing", async () => {
  const chunks = ["data: before\n\n", `data: ${"x".repeat(600)}`, "y".repeat(5000), `${"z".repeat(5000)}\n\ndata: aft`, "er\n\n"];
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const text = await new Response(stream.pipeThrough(cutLines(500))).text();
  expect(text).toBe(`data: before\n\ndata: ${"x".repeat(600)}\n\ndata: after\n\n`);
});

test("any other body above the limit is an error, also without a declared length", async () => {
  const url = serving(() => new Response(new Blob(["x".repeat(5000)]).stream()));
  await expect((await createFetch(500)(url)).text()).rejects.toThrow("above the limit of 500 bytes");
  expect(await (await createFetch(5000)(url)).text()).toHaveLength(5000);
});

test("the strict fetch throws the status of a failed POST, and of nothing else", async () => {
  const url = serving(() => new Response("because", { status: 418 }));
  await expect(strictly(createFetch(500))(url, { method: "POST", body: "{}" })).rejects.toMatchObject({ status: 418, body: "because" });
  expect((await strictly(createFetch(500))(url)).status).toBe(418);
});
