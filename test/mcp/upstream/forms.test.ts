/** Forms in the middle of a call, as legacy clients know them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createFixtureBackend, NAME_FORM } from "./fixture-backend.ts";
import { call, events, initialize, messagesOf, type Served, serve } from "./serve.ts";

let served: Served;
beforeAll(() => {
  served = serve(createFixtureBackend());
});
afterAll(() => served.close());

/** Calls `form` without a stream of notifications open, answers what it is asked, and gives question and result. */
async function ask(answer: Readonly<Record<string, unknown>>) {
  const headers = await initialize(served, {}, { capabilities: { elicitation: {} } });
  const messages = events(await served.post(call(1, "form"), headers));
  const question = (await messages.next()).value;
  await served.post({ jsonrpc: "2.0", id: question?.["id"], ...answer }, headers);
  return { question, result: (await messages.next()).value };
}

const said = (answer: unknown) => ({ result: { content: [{ type: "text", text: JSON.stringify(answer) }] } });

test("the form comes with the answer of its own call, and what was filled in comes as it is", async () => {
  const filled = { action: "accept", content: { name: "Ada", more: 7 } };
  const { question, result } = await ask({ result: filled });
  expect(question).toMatchObject({ method: "elicitation/create", params: { mode: "form", ...NAME_FORM } });
  expect(result).toMatchObject(said(filled));
});

test("declining is an answer", async () => {
  expect((await ask({ result: { action: "decline" } })).result).toMatchObject(said({ action: "decline" }));
});

test("an error of the client is none", async () => {
  expect((await ask({ error: { code: -32603, message: "no screen" } })).result).toMatchObject(said(null));
});

test("a client that has not declared forms is not asked", async () => {
  const headers = await initialize(served, {}, { capabilities: { elicitation: { url: {} } } });
  const [answer, ...more] = await messagesOf(await served.post(call(1, "form"), headers));
  expect(answer).toMatchObject({ result: { content: [{ type: "text", text: "cannot ask" }] } });
  expect(more).toEqual([]);
});
