/** Resources whose server asks first: it gets the operator's defaults, or no, within the read; the agent is told. */
import { expect, test } from "bun:test";
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { CallReply, DownstreamRequest } from "../../src/mcp/downstream/downstream.ts";
import { result, rpcError, surface, surfaceServer } from "../doors/native-fixture.ts";
import { harness } from "../harness.ts";
import { asks, form, MAILBOX } from "./fixture.ts";

const URI = "note://1";
const answer = ({ inputResponses, requestState }: DownstreamRequest): CallReply => {
  const which = inputResponses?.["which"] as { readonly action: string; readonly content?: unknown } | undefined;
  if (!which) return asks({ which: MAILBOX });
  return which.action === "accept"
    ? result({ contents: [{ uri: URI, text: `${requestState} ${JSON.stringify(which.content)}` }] })
    : rpcError(-32602, "no mailbox, no note");
};
const DEFAULTS = { elicitation: { ...DEFAULT_ELICITATION, defaults: { mailbox: "home" } } };
const read = { server_name: "mail", uri: URI };

test("the operator's defaults answer, and the agent is told of it", async () => {
  const mail = surfaceServer({ answer });
  const place = await harness({ servers: { mail }, policies: { mail: DEFAULTS } });
  const end = await (await place.session("s_1")).call("mcp_read_resource", read);
  expect(end.structuredContent?.["contents"]).toEqual([{ uri: URI, text: 'state-1 {"mailbox":"home"}' }]);
  expect(end.content.at(-1)?.text).toContain("1 question");
  expect(mail.requests).toHaveLength(2);
});

test("what they do not answer is declined: nobody is asked, and nothing waits", async () => {
  const mail = surfaceServer({ answer });
  const handback = { elicitation: { ...DEFAULT_ELICITATION, mode: "handback" as const } };
  const place = await harness({ servers: { mail }, policies: { mail: handback } });
  const end = await (await place.session("s_1")).call("mcp_read_resource", read);
  expect(end.isError).toBe(true);
  expect(end.content[0]?.text).toStartWith("no mailbox, no note\n");
  expect(end.content[0]?.text).toContain("1 question");
  expect(place.views.openQuestions()).toBe(0);
});

test("resources/read as MCP has it is answered in the same way, with nothing of ours in it", async () => {
  await using world = await surface({ servers: { mail: surfaceServer({ answer }) }, policies: { mail: DEFAULTS } });
  const client = await world.client("auto", { elicit: () => ({ action: "cancel" }) });
  const { contents } = await client.readResource({ uri: `toolcrib://mail/${URI}` });
  expect(contents).toEqual([{ uri: URI, text: 'state-1 {"mailbox":"home"}' }]);
});

test.each([
  ["rounds-per-call", asks({ which: MAILBOX }), 11],
  ["requests-per-round", asks(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`q${i}`, form("?", {})]))), 1],
])("a server that asks beyond a bound is not asked on: %s", async (limit, question, requests) => {
  const mail = surfaceServer({ answer: () => question });
  const place = await harness({ servers: { mail }, policies: { mail: DEFAULTS } });
  const end = await (await place.session("s_1")).call("mcp_read_resource", read);
  expect(end.isError).toBe(true);
  expect(end.content[0]?.text).toContain(limit);
  expect(mail.requests).toHaveLength(requests);
});
