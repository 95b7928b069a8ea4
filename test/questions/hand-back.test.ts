import { expect, test } from "bun:test";
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import { FORGETS } from "../../src/mcp/downstream/further-leg.ts";
import { openSealedStore, type SealedStore } from "../../src/secrets/sealed.ts";
import { harness, memoryLog, text } from "../harness.ts";
import { asks, lastOf, MAILBOX, modernServer } from "./fixture.ts";

const HANDBACK = { elicitation: { ...DEFAULT_ELICITATION, mode: "handback" as const } };

async function asked(more: { log?: ReturnType<typeof memoryLog>; sealed?: SealedStore } = {}) {
  const mail = modernServer();
  const place = await harness({ servers: { mail }, policies: { mail: HANDBACK }, ...more });
  const ada = await place.session("s_1");
  const first = ada.call("mail__send", { to: "bob" });
  await place.settle();
  mail.calls[0]?.answer(asks({ which: MAILBOX }) as never);
  const result = await first;
  const question = (result as { structuredContent?: { question?: { id: string } } }).structuredContent?.question;
  return { mail, place, ada, result, id: question?.id ?? "" };
}

test("a question comes back as the result of the call, and its answer resumes it", async () => {
  const { mail, place, ada, result, id } = await asked();
  expect(result.isError).toBeUndefined();
  expect(result.content[0]?.text).toContain(`mcp_answer(question_id: "${id}"`);
  const second = ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
  await place.settle();
  expect(lastOf(mail)).toMatchObject({
    tool: "send",
    arguments: { to: "bob" },
    inputResponses: { which: { action: "accept", content: { mailbox: "home" } } },
    requestState: "state-1",
  });
  mail.calls[1]?.answer(text("sent"));
  const answer = await second;
  expect(answer.content[0]?.text).toBe("sent");
  expect(answer.content.at(-1)?.text).toContain("1 question");
  expect(place.failures).toEqual([]);
});

test("it is answered once", async () => {
  const { mail, place, ada, id } = await asked();
  const second = ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
  await place.settle();
  const again = await ada.call("mcp_answer", { question_id: id, answers: { mailbox: "work" } });
  expect(again.isError).toBe(true);
  expect(again.content[0]?.text).toContain("answered already");
  mail.calls[1]?.answer(text("sent"));
  await second;
  expect(mail.calls).toHaveLength(2);
});

test("it survives a restart of ours", async () => {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const before = await asked({ log, sealed });
  const mail = modernServer();
  const place = await harness({ servers: { mail }, policies: { mail: HANDBACK }, log, sealed });
  const ada = await place.session("s_1");
  const second = ada.call("mcp_answer", { question_id: before.id, answers: { mailbox: "home" } });
  await place.settle();
  expect(lastOf(mail)).toMatchObject({ arguments: { to: "bob" }, requestState: "state-1" });
  mail.calls[0]?.answer(text("sent"));
  expect((await second).content[0]?.text).toBe("sent");
  expect(sealed.names("question")).toEqual([]);
});

test.each([
  ["that has forgotten it", { kind: "rpc_error", code: -32602, message: "unknown state" }],
  ["that speaks an older protocol by then", FORGETS],
] as const)("a server %s lapses the question, and nothing was done", async (_, reply) => {
  const { mail, place, ada, id } = await asked();
  const second = ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
  await place.settle();
  mail.calls[1]?.answer(reply);
  const answer = await second;
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: "execution_failed", certainty: "not_applied" } } });
  expect(answer.content[0]?.text).toContain("no longer knows");
  expect(place.views.question(id)?.status).toBe("lapsed");
});

test("a second request with its idempotency key joins it: as a question, and when it goes on", async () => {
  const mail = modernServer();
  const place = await harness({ servers: { mail }, policies: { mail: HANDBACK } });
  const ada = await place.session("s_1");
  const keyed = { idempotencyKey: "k-1" };
  const first = ada.call("mail__send", { to: "bob" }, keyed);
  await place.settle();
  mail.calls[0]?.answer(asks({ which: MAILBOX }) as never);
  const id = /q_[0-9a-f]{32}/.exec((await first).content[0]?.text ?? "")?.[0] ?? "";
  expect((await ada.call("mail__send", { to: "bob" }, keyed)).content[0]?.text).toContain(id);
  const answer = ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
  await place.settle();
  const joined = ada.call("mail__send", { to: "bob" }, keyed);
  await place.settle();
  mail.calls[1]?.answer(text("sent"));
  expect((await answer).content[0]?.text).toBe("sent");
  expect((await joined).content[0]?.text).toBe("sent");
  expect(mail.calls).toHaveLength(2);
});

test("answers that are turned down are counted by why", async () => {
  const { place, ada, id } = await asked();
  const give = (args: Record<string, unknown>) => ada.call("mcp_answer", { question_id: id, ...args });
  await ada.call("mcp_answer", { question_id: "q_none", decline: true });
  await give({});
  await give({ answers: { mailbox: "elsewhere" } });
  await give({ answers: { mailbox: "nowhere" } });
  const counts = place.questions.counts
    .text()
    .split("\n")
    .filter((line) => line.startsWith("toolcrib_question_rejections_total"));
  expect(counts.sort()).toEqual(
    ["form", "malformed", "unknown"].map((reason, index) => `toolcrib_question_rejections_total{reason="${reason}"} ${[2, 1, 1][index]}`),
  );
});

test("an answer whose numbers parsing would alter is none, and the question stays open", async () => {
  const { mail, place, ada, id } = await asked();
  const told = await ada.call("mcp_answer", { question_id: id, answers: '{"mailbox":"home","n":9007199254740993}' });
  expect(told).toMatchObject({ isError: true });
  expect(mail.calls).toHaveLength(1);
  expect(place.views.question(id)).toMatchObject({ status: "open" });
});
