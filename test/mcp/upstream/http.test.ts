/** Requests over HTTP: ids, results, streams of notifications, errors. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createFixtureBackend, type FixtureBackend } from "./fixture-backend.ts";
import { call, envelope, events, initialize, messagesOf, modernHeaders, onlyMessage, type Served, serve, textOf } from "./serve.ts";

let backend: FixtureBackend;
let served: Served;
beforeAll(() => {
  backend = createFixtureBackend();
  served = serve(backend);
});
afterAll(() => served.close());

test("ids come back as they were sent, in both eras", async () => {
  const session = await initialize(served);
  for (const id of [1, "1", "", 0, -7, 2 ** 53 - 1]) {
    expect((await onlyMessage(await served.post(call(id, "echo"), session)))["id"]).toBe(id);
    const modern = await served.post(call(id, "echo", {}, envelope()), modernHeaders("echo"));
    expect((await onlyMessage(modern))["id"]).toBe(id);
  }
});

for (const plain of [true, false]) {
  test(`two calls with one id at the same time each get their own answer (${plain ? "by hand" : "through the SDK"})`, async () => {
    const own = serve(createFixtureBackend({ plain }));
    const session = await initialize(own);
    const answers = await Promise.all(["a", "b", "c"].map((text) => own.post(call(7, "echo", { text }), session).then(onlyMessage)));
    expect(answers.map((answer) => answer["id"])).toEqual([7, 7, 7]);
    for (const [index, text] of ["a", "b", "c"].entries()) expect(textOf(answers[index] ?? {})).toContain(`\\"text\\":\\"${text}\\"`);
    await own.close();
  });
}

test("fifty sessions that use the same ids never see each other's results", async () => {
  const sessions = await Promise.all(Array.from({ length: 50 }, () => initialize(served)));
  const texts = await Promise.all(
    sessions.map(async (session, index) => {
      const meta = index % 2 === 0 ? undefined : { progressToken: 1 }; // Half of them go through the SDK.
      return textOf(await onlyMessage(await served.post(call(1, "echo", { text: `for ${index}` }, meta), session)));
    }),
  );
  for (const [index, text] of texts.entries()) {
    expect(text).toContain(`for ${index}\\"`);
    expect(text).toContain(sessions[index]?.["mcp-session-id"] ?? "no session");
  }
});

test("the newest notification stream replaces the older one", async () => {
  const session = await initialize(served);
  const open = () => fetch(served.url, { headers: { ...session, accept: "text/event-stream" } });
  const older = await open();
  const newer = await open();
  expect([older.status, newer.status]).toEqual([200, 200]);
  expect(await messagesOf(older)).toEqual([]); // It ended.
  const id = backend.calls.length;
  await served.post(call(1, "echo"), session);
  backend.addTool(backend.calls[id]?.session ?? "", { name: "fresh", inputSchema: { type: "object" } });
  expect((await events(newer).next()).value).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
});

test("a change that happens while nobody listens is told to the next stream", async () => {
  const session = await initialize(served);
  const at = backend.calls.length;
  await served.post(call(1, "echo"), session);
  backend.addTool(backend.calls[at]?.session ?? "", { name: "fresh", inputSchema: { type: "object" } });
  const stream = await fetch(served.url, { headers: { ...session, accept: "text/event-stream" } });
  expect((await events(stream).next()).value).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
});

test("a failure inside is told to nobody but the operator", async () => {
  const errors: unknown[] = [];
  const own = serve(createFixtureBackend(), { onError: (error) => errors.push(error) });
  const session = await initialize(own);
  for (const meta of [undefined, { progressToken: 1 }]) {
    const answer = await messagesOf(await own.post(call(1, "throws", {}, meta), session));
    expect(answer).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } }]);
  }
  expect(errors.map(String)).toEqual(["Error: a secret of the inside", "Error: a secret of the inside"]);
  await own.close();
});

test("methods that do not exist are 405", async () => {
  expect((await fetch(served.url, { method: "PUT" })).status).toBe(405);
  for (const method of ["GET", "DELETE"]) {
    expect((await fetch(served.url, { method, headers: { "mcp-protocol-version": "2026-07-28" } })).status).toBe(405);
  }
});
