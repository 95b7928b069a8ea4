/** What is asked about tokens: where it may go, and how much may come back. */
import { afterAll, expect, test } from "bun:test";
import { createAsk } from "../../src/auth/ask.ts";

const endless = () => new ReadableStream({ start: (controller) => controller.enqueue(": here\n\n") });
let asked = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    asked++;
    const { pathname } = new URL(request.url);
    if (pathname === "/large") return new Response("x".repeat(300_000));
    if (pathname === "/stream") return new Response(endless(), { status: 401, headers: { "content-type": "text/event-stream" } });
    return pathname === "/away" ? Response.redirect("https://elsewhere.example/", 302) : new Response("here");
  },
});
afterAll(() => server.stop(true));
const here = `http://127.0.0.1:${server.port}`;

const NOT_HTTPS = "one of its addresses is not https";
const NOT_PUBLIC = "it cannot be reached from here, or may not be";

test.each([
  ["http://login.example/token", NOT_HTTPS],
  ["file:///etc/passwd", NOT_HTTPS],
  ["https://user:word@login.example/token", NOT_HTTPS],
  [here, NOT_PUBLIC],
  [`http://localhost:${server.port}`, NOT_PUBLIC],
  ["https://10.0.0.1/token", NOT_PUBLIC],
  ["https://169.254.169.254/latest/meta-data", NOT_PUBLIC],
])("a server elsewhere cannot send us to %s", async (address, why) => {
  await expect(createAsk({ serverUrl: "https://x.example/mcp", authority: undefined })(address)).rejects.toThrow(why);
  expect(asked).toBe(0);
});

test("what the operator wrote is asked, as it is, and so is what that says", async () => {
  for (const known of [
    { serverUrl: `${here}/mcp`, authority: undefined },
    { serverUrl: "https://x.example/mcp", authority: here },
    { serverUrl: "https://x.example/mcp", authority: "https://login.example" },
  ])
    expect(await (await createAsk(known)(here)).text()).toBe("here");
});

test("no redirect is followed, an event stream is not waited for, and no answer is larger than 256 KiB", async () => {
  const ask = createAsk({ serverUrl: here, authority: undefined });
  expect((await ask(`${here}/away`)).status).toBe(302);
  expect((await ask(`${here}/stream`)).status).toBe(401);
  await expect(ask(`${here}/large`)).rejects.toThrow("it answered with more than 256 KiB");
});
