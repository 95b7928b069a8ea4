/** Every prompt and resource that is fetched is a recorded call; its answer has no room for notices, so they wait. */
import { expect, test } from "bun:test";
import { text, tool } from "../harness.ts";
import { result, surface, surfaceServer } from "./native-fixture.ts";

const FOUR = ["call.requested", "call.dispatched", "call.settled", "call.answered"];
const greet = { name: "mail__greet", arguments: { who: "Ada" } };

test("is recorded under the tool that does the same, and marked", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const client = await world.client();
  const before = world.log.head.position;
  await client.getPrompt(greet);
  await client.readResource({ uri: "note://1" });
  const events = world.log.page({ after: before, limit: 100 }).filter(({ type }) => type.startsWith("call."));
  expect(events.map(({ type }) => type)).toEqual([...FOUR, ...FOUR]);
  const [prompt, resource] = events.filter(({ type }) => type === "call.requested");
  expect(prompt?.data).toMatchObject({ name: "mail__greet-prompt", server: "mail", tool: "greet", via: "get_prompt", native: true });
  expect(resource?.data).toMatchObject({ name: "mcp_read_resource", server: "builtin", native: true, capability: "read" });
  expect(world.log.payload(resource?.position ?? 0)).toEqual({ server_name: "mail", uri: "note://1" });
  const settled = events.filter(({ type }) => type === "call.settled").map(({ position }) => world.log.payload(position));
  expect(settled).toMatchObject([{ messages: [{ role: "user" }] }, { contents: [{ uri: "note://1" }] }]);
});

test("that cannot be had is recorded as refused", async () => {
  const mail = surfaceServer();
  await using world = await surface({ servers: { mail } });
  const client = await world.client();
  const before = world.log.head.position;
  await client.getPrompt({ name: "mail__nobody" }).catch(() => undefined);
  await client.readResource({ uri: "none:1" }).catch(() => undefined);
  const events = world.log.page({ after: before, limit: 100 }).filter(({ type }) => type.startsWith("call."));
  expect(events.map(({ type, data }) => [type, data])).toMatchObject([
    ["call.refused", { name: "mcp_get_prompt", code: "tool_not_found", rule: "native-name" }],
    ["call.refused", { name: "mcp_read_resource", code: "tool_not_found", rule: "native-name" }],
  ]);
  expect(events.map(({ position }) => world.log.payload(position))).toMatchObject([
    { arguments: { prompt_name: "mail__nobody" } },
    { arguments: { uri: "none:1" } },
  ]);
});

test("leaves the notices to the next tool result, and makes no event for them", async () => {
  const mail = surfaceServer();
  mail.tools = [tool("act")];
  await using world = await surface({ servers: { mail } });
  mail.events().onToolsChanged();
  await world.settle();
  const client = await world.client("auto", { name: "one" });
  const abort = new AbortController();
  const left = client.callTool({ name: "mail__act", arguments: {} }, { signal: abort.signal }).catch(() => "left");
  while (mail.calls.length === 0) await Bun.sleep(1);
  abort.abort();
  await left;
  while (!world.types().includes("call.unclaimed")) await Bun.sleep(1);
  mail.calls[0]?.answer(text("done"));
  await world.settle();

  const before = world.log.head.position;
  const prompt = await client.getPrompt(greet);
  const resource = await client.readResource({ uri: "note://1" });
  expect([prompt.messages.length, resource.contents.length]).toEqual([1, 1]);
  await world.settle();
  const events = world.log.page({ after: before, limit: 100 });
  expect(events.map(({ type }) => type)).toEqual([...FOUR, ...FOUR]);
  expect(events.flatMap(({ data }) => ("notices" in data ? [data] : []))).toEqual([]);

  const next = await client.callTool({ name: "call_status", arguments: {} });
  expect(JSON.stringify(next.content)).toContain("Notice about an earlier call: mail__act");
});

test("shows no secret, and gives its original back to the server it came from", async () => {
  const secret = "s3cr3t-of-the-server";
  const mail = surfaceServer({
    answer: ({ method }) =>
      result(
        method === "prompts/get"
          ? { messages: [{ role: "user", content: { type: "text", text: secret } }] }
          : { contents: [{ uri: "note://1", text: `is ${secret}` }] },
      ),
  });
  await using world = await surface({ servers: { mail }, secrets: [{ name: "s", value: secret }] });
  const client = await world.client();
  const { messages } = await client.getPrompt(greet);
  const { contents } = await client.readResource({ uri: "note://1" });
  expect(JSON.stringify([messages, contents])).not.toContain(secret);
  const content = messages[0]?.content;
  await client.getPrompt({ ...greet, arguments: { who: content?.type === "text" ? content.text : "" } });
  expect(mail.requests.at(-1)?.params).toMatchObject({ arguments: { who: secret } });
  expect(
    JSON.stringify(world.log.page({ after: 0, limit: 1000 }).map(({ position, data }) => [data, world.log.payload(position)])),
  ).not.toContain(secret);
});

test("hands on trace context and progress, and none of our own keys", async () => {
  const mail = surfaceServer({
    answer({ onProgress }) {
      onProgress?.({ progress: 1, total: 2, message: "half" });
      return result({ contents: [], messages: [] });
    },
  });
  await using world = await surface({ servers: { mail } });
  const client = await world.client();
  const _meta = { traceparent: "00-1-2-03", "toolcrib/session": "mine" };
  const seen: unknown[] = [];
  const options = { onprogress: (progress: unknown) => void seen.push(progress) };
  await client.getPrompt({ ...greet, _meta }, options);
  await client.readResource({ uri: "note://1", _meta }, options);
  expect(mail.requests.map(({ meta }) => meta)).toEqual([{ traceparent: "00-1-2-03" }, { traceparent: "00-1-2-03" }]);
  expect(seen).toEqual([1, 2].map(() => ({ progress: 1, total: 2, message: "half" })));
});
