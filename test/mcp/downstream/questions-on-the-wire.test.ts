/** Questions of modern servers as they stand on the wire: what a further leg is, and what cannot be read. */
import { afterEach, expect, test } from "bun:test";
import { accept, asked, asking, askingOverHttp, further, running, stopAll } from "./asking-support.ts";
import { fixture, http, open } from "./support.ts";

afterEach(stopAll);

test("keys that mean something to the language are keys like others", async () => {
  const { downstream } = await open(fixture({ FIXTURE_ERA: "modern" }), { elicitation: true });
  const inputRequests: unknown = JSON.parse(
    '{"__proto__":{"method":"elicitation/create","params":{}},"constructor":{"method":"roots/list"}}',
  );
  const reply = await downstream.call(asking("reply", { result: { resultType: "input_required", inputRequests } }));
  expect(Object.entries(asked(reply).requests)).toEqual([
    ["__proto__", { method: "elicitation/create", params: {} }],
    ["constructor", { method: "roots/list", params: {} }],
  ]);
});

test("the legs of a call differ in the answers and the state alone, and in the name of the request", async () => {
  const server = askingOverHttp();
  const bodies: { id: number; method: string; params: Record<string, unknown> }[] = [];
  const spy = running({
    ...server,
    fetch: async (request) => {
      bodies.push((await request.clone().json()) as (typeof bodies)[number]);
      return server.fetch(request);
    },
  });
  const { downstream } = await open(http(spy.url), { elicitation: true });
  const mail = { ...asking("send_mail", { to: "bob", "strange key": [1, "ü"] }), meta: { traceparent: "00-1" } };
  const reply = await downstream.call(mail);
  await further(downstream, mail, reply, { which: accept({ mailbox: "home" }) });
  const [first, second] = bodies.filter(({ method }) => method === "tools/call");
  const { inputResponses, requestState, ...rest } = second?.params ?? {};
  expect(rest).toEqual(first?.params ?? {});
  expect([inputResponses, requestState]).toEqual([{ which: accept({ mailbox: "home" }) }, asked(reply).requestState]);
  expect(second?.id).not.toBe(first?.id);
  expect(rest["_meta"]).toMatchObject({ "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } });
});

test.each([
  ["nothing", {}],
  ["no map", { inputRequests: [] }],
  ["no request", { inputRequests: { a: 5 } }],
  ["no method", { inputRequests: { a: { params: {} } } }],
  ["parameters that are none", { inputRequests: { a: { method: "elicitation/create", params: "x" } } }],
  ["a state that is no text", { requestState: 5 }],
])("a question that cannot be read is an error that says so: %s", async (_, result) => {
  const { downstream } = await open(fixture({ FIXTURE_ERA: "modern" }), { elicitation: true });
  expect(await downstream.call(asking("reply", { result: { resultType: "input_required", ...result } }))).toMatchObject({
    kind: "rpc_error",
    code: -32603,
    message: expect.stringContaining("nothing can be done with this answer"),
  });
});

test("an older server is not sent a further leg, which it would take for a new call", async () => {
  const { downstream } = await open(fixture(), { elicitation: true });
  expect(await downstream.call({ ...asking("echo"), inputResponses: {}, requestState: "s" })).toMatchObject({ kind: "not_sent" });
  expect(await downstream.call({ ...asking("echo"), inputResponses: {} })).toMatchObject({ kind: "not_sent" });
});

test("a stream that is cut instead of answering means lost, also of a further leg", async () => {
  const server = askingOverHttp();
  let cut = false;
  const cutting = running({
    ...server,
    fetch: async (request) => {
      if (!cut) return server.fetch(request);
      return new Response("event: message\n\n", { headers: { "content-type": "text/event-stream" } });
    },
  });
  const { downstream } = await open(http(cutting.url), { elicitation: true });
  const reply = await downstream.call(asking("send_mail", { to: "bob" }));
  cut = true;
  expect(await further(downstream, asking("send_mail", { to: "bob" }), reply, { which: accept({ mailbox: "home" }) })).toMatchObject({
    kind: "lost",
  });
});
