/** Modern servers that ask before they give a prompt or a resource: the same as with tools, and nothing else of the protocol may ask. */
import { afterEach, describe, expect, test } from "bun:test";
import { accept, asked, askingOverHttp, askingOverStdio, stopAll } from "./asking-support.ts";
import { fixture, open } from "./support.ts";

afterEach(stopAll);

const ACCEPTS = { accepts: { questions: true } };

describe.each([
  ["HTTP", askingOverHttp],
  ["stdio", askingOverStdio],
] as const)("a server over %s", (_, start) => {
  test.each([
    ["prompts/get", { name: "letter" }, { messages: [{ role: "user", content: { type: "text", text: "letter from home" } }] }],
    ["resources/read", { uri: "asking://letter" }, { contents: [{ uri: "asking://letter", text: "letter from home" }] }],
  ])("asks before it answers %s, once", async (method, params, result) => {
    const { target, executed } = start();
    const { downstream } = await open(target, { elicitation: true });
    const reply = asked(await downstream.request({ method, params, ...ACCEPTS }));
    expect(Object.keys(reply.requests)).toEqual(["which"]);
    const { requestState = "" } = reply;
    const inputResponses = { which: accept({ mailbox: "home" }) };
    expect(await downstream.request({ method, params, ...ACCEPTS, inputResponses, requestState })).toMatchObject({
      kind: "result",
      result,
    });
    expect(executed()).toEqual(["letter from home"]);
  });

  test("is not told that it can ask where the caller deals with no questions", async () => {
    const { downstream } = await open(start().target, { elicitation: true });
    const outcome = await downstream.request({ method: "prompts/get", params: { name: "letter" } });
    expect(outcome).toMatchObject({ kind: "rpc_error", code: -32021 });
  });
});

test("an older server is not sent a further leg, which it would take for a new request", async () => {
  const { downstream } = await open(fixture(), { elicitation: true });
  const request = { method: "prompts/get", params: { name: "greet" }, ...ACCEPTS, inputResponses: {}, requestState: "s" };
  expect(await downstream.request(request)).toMatchObject({ kind: "not_sent" });
});
