/** Prompts whose server asks first: as tools they are questions like any other, as MCP has them the client is asked, or nobody. */
import { expect, test } from "bun:test";
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { CallReply, DownstreamRequest } from "../../src/mcp/downstream/downstream.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { result, surface, surfaceServer } from "../doors/native-fixture.ts";
import { harness, memoryLog } from "../harness.ts";
import { asks, MAILBOX } from "./fixture.ts";

const HANDBACK = { elicitation: { ...DEFAULT_ELICITATION, mode: "handback" as const } };
const messages = (text: string) => result({ messages: [{ role: "user", content: { type: "text", text } }] });

/** Says what it was answered. */
const answer = ({ inputResponses, requestState }: DownstreamRequest): CallReply =>
  inputResponses ? messages(`${requestState} ${JSON.stringify(inputResponses["which"])}`) : asks({ which: MAILBOX });
const asking = () => surfaceServer({ answer });
const ACCEPTED = 'state-1 {"action":"accept","content":{"mailbox":"home"}}';

test("a prompt called like a tool hands its question back, and goes on as a prompt", async () => {
  const mail = asking();
  const place = await harness({ servers: { mail }, policies: { mail: HANDBACK } });
  const ada = await place.session("s_1");
  const asked = await ada.call("mail__greet-prompt", { who: "Bob" });
  const { id } = (asked.structuredContent?.["question"] ?? { id: "" }) as { id: string };
  expect(asked.content[0]?.text).toContain(`mcp_answer(question_id: "${id}"`);
  expect(place.views.question(id)).toMatchObject({ name: "mail__greet-prompt", tool: "greet" });
  const end = await ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
  expect(end.structuredContent?.["messages"]).toEqual([{ role: "user", content: ACCEPTED, contentType: "text" }]);
  expect(end.content.at(-1)?.text).toContain("1 question");
  expect(mail.requests.map(({ method, params }) => [method, params])).toEqual(
    Array(2).fill(["prompts/get", { name: "greet", arguments: { who: "Bob" } }]),
  );
  expect(place.failures).toEqual([]);
});

test("it goes on as a prompt in another process, too", async () => {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const before = await harness({ servers: { mail: asking() }, policies: { mail: HANDBACK }, log, sealed });
  const asked = await (await before.session("s_1")).call("mail__greet-prompt", { who: "Bob" });
  const { id } = (asked.structuredContent?.["question"] ?? { id: "" }) as { id: string };
  const mail = asking();
  const place = await harness({ servers: { mail }, policies: { mail: HANDBACK }, log, sealed });
  const end = await (await place.session("s_1")).call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
  expect(end.structuredContent?.["messages"]).toMatchObject([{ content: ACCEPTED }]);
  expect(mail.requests).toMatchObject([{ method: "prompts/get", requestState: "state-1" }]);
});

test("the operator's defaults answer it within the call", async () => {
  const elicitation = { ...DEFAULT_ELICITATION, defaults: { mailbox: "home" } };
  const place = await harness({ servers: { mail: asking() }, policies: { mail: { elicitation } } });
  const end = await (await place.session("s_1")).call("mail__greet-prompt", { who: "Bob" });
  expect(end.structuredContent?.["messages"]).toMatchObject([{ content: ACCEPTED }]);
});

test("a server is not told that it can ask where that is off", async () => {
  const mail = asking();
  const place = await harness({ servers: { mail }, policies: { mail: { elicitation: { ...DEFAULT_ELICITATION, mode: "off" } } } });
  await (await place.session("s_1")).call("mail__greet-prompt", { who: "Bob" });
  expect(mail.requests[0]?.accepts).toEqual({ questions: false, tasks: false });
});

test.each(["auto", "legacy"] as const)("prompts/get asks the person at the client (%s), whose answer goes to the server", async (mode) => {
  const mail = asking();
  await using world = await surface({ servers: { mail } });
  const seen: string[] = [];
  const client = await world.client(mode, {
    elicit(message) {
      seen.push(message);
      return { action: "accept", content: { mailbox: "home" } };
    },
  });
  const { messages: got } = await client.getPrompt({ name: "mail__greet", arguments: { who: "Bob" } });
  expect(got).toEqual([{ role: "user", content: { type: "text", text: ACCEPTED } }]);
  expect(seen).toEqual(["Which mailbox?"]);
  expect(mail.requests).toHaveLength(2);
  expect(world.failures).toEqual([]);
});

test("prompts/get of a client that shows no forms is answered for by nobody: its server is told no", async () => {
  await using world = await surface({ servers: { mail: asking() }, policies: { mail: HANDBACK } });
  const client = await world.client();
  const { messages: got } = await client.getPrompt({ name: "mail__greet", arguments: { who: "Bob" } });
  expect(got).toMatchObject([{ content: { text: 'state-1 {"action":"decline"}' } }]);
});

test("what a client brings back has to be what it was given", async () => {
  const mail = asking();
  await using world = await surface({ servers: { mail } });
  const client = await world.client("auto", { elicit: () => ({ action: "cancel" }) });
  const params = { name: "mail__greet", arguments: { who: "Bob" }, inputResponses: {}, requestState: "made-up" };
  expect(client.request({ method: "prompts/get", params })).rejects.toMatchObject({ code: -32602 });
  const call = { name: "mail__greet-prompt", arguments: { who: "Bob" }, inputResponses: {}, requestState: "made-up" };
  expect(client.request({ method: "tools/call", params: call })).rejects.toMatchObject({ code: -32602 });
  await world.settle();
  expect(mail.requests).toHaveLength(0);
});

test("a tool that names another one inside asks the client, too, and its retry is known again", async () => {
  const mail = asking();
  await using world = await surface({ servers: { mail } });
  const client = await world.client("auto", { elicit: () => ({ action: "accept", content: { mailbox: "home" } }) });
  const args = { server_name: "mail", prompt_name: "greet", arguments: { who: "Bob" } };
  const { structuredContent } = await client.callTool({ name: "mcp_get_prompt", arguments: args });
  expect(structuredContent).toMatchObject({ messages: [{ content: ACCEPTED }] });
});

test("the client's retry of prompts/get goes on in another process, and a second one gets the same answer", async () => {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const get = { name: "mail__greet", arguments: { who: "Bob" } };
  const caller = { session: "s_1", agent: "ada", profile: "default", client: "test" };
  const asked = { caller, name: "mcp_get_prompt", arguments: { server_name: "mail", prompt_name: "greet", arguments: get.arguments } };
  const abilities = { era: "modern", elicitation: true, tasks: false } as const;
  const before = await harness({ servers: { mail: asking() }, log, sealed });
  await before.session("s_1");
  const first = await before.ask({ ...asked, native: true, abilities });
  expect(first.result).toMatchObject({ resultType: "input_required", inputRequests: { which: MAILBOX } });
  expect(JSON.stringify(first.result)).not.toContain("state-1");

  const mail = asking();
  const place = await harness({ servers: { mail }, log, sealed });
  await place.session("s_1");
  const inputResponses = { which: { action: "accept", content: { mailbox: "home" } } };
  const requestState = String(first.result?.["requestState"]);
  const retry = { ...asked, native: true, abilities, inputResponses, requestState } as const;
  const answers = [await place.ask(retry), await place.ask(retry)];
  for (const { code, result: got } of answers)
    expect([code, got]).toEqual([undefined, { messages: [{ role: "user", content: { type: "text", text: ACCEPTED } }] }]);
  expect(mail.requests).toHaveLength(1);
  expect(sealed.names("question")).toEqual([]);
});

test("an agent that answers the question of a native prompt gets its messages as any tool tells them", async () => {
  const place = await harness({ servers: { mail: asking() } });
  const ada = await place.session("s_1");
  const args = { server_name: "mail", prompt_name: "greet", arguments: { who: "Bob" } };
  const abilities = { era: "modern", elicitation: true, tasks: false } as const;
  await ada.ask("mcp_get_prompt", args, { native: true, abilities });
  const id = place.views.questions(0)[0]?.id;
  const end = await ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
  expect(end.structuredContent?.["messages"]).toMatchObject([{ content: ACCEPTED }]);
  expect(end.content[0]?.text).toContain("state-1");
});
