/** Resources whose server asks first: it gets the operator's defaults, or no, within the read; the agent is told. */
import { expect, test } from "bun:test";
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import type { CallReply, DownstreamRequest, InputResponse } from "../../src/mcp/downstream/downstream.ts";
import { result, rpcError, surface, surfaceServer } from "../doors/native-fixture.ts";
import { type FakeServer, harness, text } from "../harness.ts";
import { asks, form, MAILBOX, olderServer } from "./fixture.ts";

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

/** A server of before 2026-07-28, which asks so often on its connection before it gives what is read. */
function olderAsking(times = 1) {
  const heard: InputResponse[] = [];
  const mail: ReturnType<typeof surfaceServer> = surfaceServer({
    async answer() {
      const { signal } = new AbortController();
      for (let i = 0; i < times; i++) heard.push((await mail.events().onQuestion?.({ request: MAILBOX, signal })) ?? { action: "cancel" });
      return result({ contents: [{ uri: URI, text: "the note" }] });
    },
  });
  return { mail, heard };
}

test("an older server that asks on its connection during a read gets the same, and the agent is told", async () => {
  const { mail, heard } = olderAsking();
  const place = await harness({ servers: { mail }, policies: { mail: DEFAULTS } });
  const end = await (await place.session("s_1")).call("mcp_read_resource", read);
  expect(heard).toEqual([{ action: "accept", content: { mailbox: "home" } }]);
  expect(end.content.at(-1)?.text).toContain("1 question");
  const { signal } = new AbortController();
  expect(await mail.events().onQuestion?.({ request: MAILBOX, signal })).toEqual({ action: "decline" }); // nothing is read any more
  expect(await mail.events().onQuestion?.({ request: MAILBOX, signal, taskId: "task-1" })).toEqual({ action: "decline" });
});

test("what an older server asks during a read counts in the bounds of a call", async () => {
  const few = olderAsking(3);
  const place = await harness({
    servers: { mail: few.mail },
    policies: { mail: { elicitation: { ...DEFAULTS.elicitation, maxPerCall: 2 } } },
  });
  await (await place.session("s_1")).call("mcp_read_resource", read);
  expect(few.heard.map(({ action }) => action)).toEqual(["accept", "accept", "decline"]);

  const many = olderAsking(12);
  const other = await harness({
    servers: { mail: many.mail },
    policies: { mail: { elicitation: { ...DEFAULTS.elicitation, maxPerCall: 99 } } },
  });
  await (await other.session("s_1")).call("mcp_read_resource", read);
  expect(many.heard.map(({ action }) => action).lastIndexOf("accept")).toBe(9);
});

test("while a call is open on an older server, what it asks is about the call, also during a read", async () => {
  const { mail, heard } = olderAsking();
  const asking = olderServer(["send"]);
  const place = await harness({
    servers: { mail: Object.assign(asking, { connect: joined(asking.connect, mail.connect) }) },
    policies: { mail: DEFAULTS },
  });
  const ada = await place.session("s_1");
  const sent = ada.call("mail__send");
  await place.settle();
  const end = await ada.call("mcp_read_resource", read);
  expect(heard).toEqual([{ action: "accept", content: { mailbox: "home" } }]);
  expect(end.content.map(({ text }) => text).join("\n")).not.toContain("1 question");
  asking.calls[0]?.answer(text("sent"));
  expect((await sent).content.at(-1)?.text).toContain("1 question");
});

/** The tools and calls of one, everything else of the other. */
const joined =
  (tools: FakeServer["connect"], rest: FakeServer["connect"]): FakeServer["connect"] =>
  async (events) => {
    const { call, listTools } = await tools(events);
    return { ...(await rest(events)), call, listTools };
  };
