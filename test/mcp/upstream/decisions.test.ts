/** The person in front of a modern client decides on an approval: the call ends in the form, and comes again with what was said. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Backend } from "../../../src/mcp/upstream/backend.ts";
import { DECISION_FORM, decisionOf } from "../../../src/mcp/upstream/decision-form.ts";
import type { ElicitAnswer } from "../../../src/mcp/upstream/elicit.ts";
import { createRequestStateCodec } from "../../../src/mcp/upstream/request-state.ts";
import { createFixtureBackend } from "./fixture-backend.ts";
import { type Served, serve } from "./serve.ts";

const accepted = (content: ElicitAnswer["content"]): ElicitAnswer => ({ action: "accept", ...(content && { content }) });

describe("what an answer says", () => {
  test("accepting says what was chosen, and what else was written", () => {
    expect(decisionOf(accepted({ decision: "approve" }))).toEqual({ verdict: "approve" });
    expect(decisionOf(accepted({ decision: "revise", instructions: "to Bob" }))).toEqual({ verdict: "revise", instructions: "to Bob" });
    expect(decisionOf(accepted({ decision: "deny", instructions: "" }))).toEqual({ verdict: "deny" });
  });

  test("declining denies", () => {
    expect(decisionOf({ action: "decline", content: { decision: "approve" } })).toEqual({ verdict: "deny" });
  });

  test("anything else says nothing", () => {
    for (const answer of [{ action: "cancel" } as const, accepted({ decision: "maybe" }), accepted({}), accepted(undefined)]) {
      expect(decisionOf(answer)).toBeUndefined();
    }
  });
});

/** Lets through what a person approves; what it knows of a call is in its state. */
function approving(): Backend {
  const backend = createFixtureBackend();
  const codec = createRequestStateCodec(new Uint8Array(32).fill(1));
  return {
    ...backend,
    async callTool({ principal }, { inputResponses, requestState, ...call }) {
      const asked = requestState === undefined ? undefined : codec.open(requestState, principal.agent);
      const said = asked && decisionOf((inputResponses?.["approval"] ?? { action: "cancel" }) as ElicitAnswer);
      if (said !== undefined) return { content: [{ type: "text", text: `${asked?.call} ${JSON.stringify(said)}` }] };
      const params = { mode: "form", message: `May ${call.name} be called?`, requestedSchema: DECISION_FORM };
      return {
        resultType: "input_required",
        inputRequests: { approval: { method: "elicitation/create", params } },
        requestState: codec.seal({ approval: "a_1", call: "c_1", name: call.name }, principal.agent),
      };
    },
  };
}

describe("a modern client that shows forms", () => {
  let served: Served;
  let client: Client;
  const asked: string[] = [];
  beforeAll(async () => {
    served = serve(approving());
    client = new Client(
      { name: "desk", version: "1" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
    );
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { decision: "revise", instructions: "louder" } };
    });
    await client.connect(new StreamableHTTPClientTransport(served.url));
  });
  afterAll(async () => {
    await client.close();
    await served.close();
  });

  test("asks its person, and the call goes on with the verdict", async () => {
    expect((await client.callTool({ name: "echo", arguments: {} })).content).toEqual([
      { type: "text", text: 'c_1 {"verdict":"revise","instructions":"louder"}' },
    ]);
    expect(asked).toEqual(["May echo be called?"]);
    expect(served.edge.handCalls()).toBe(1); // the question; the call that comes again goes through the SDK
  });
});
