/** `call_status`: a pure read of what is the session's own. */
import { expect, test } from "bun:test";
import { fakeServer, harness, text } from "../harness.ts";

test("tells a call's outcome as often as it is asked", async () => {
  const mail = fakeServer();
  const { session, settle } = await harness({ servers: { mail } });
  const ada = await session("s_1");
  const first = ada.ask("mail__act", { n: 1 });
  await settle();
  const open = await ada.call("call_status");
  expect(open.structuredContent).toMatchObject({ open: [{ tool: "mail__act", status: "in_flight" }], doubts: [] });
  mail.calls[0]?.answer(text("done"));
  const { call } = await first;
  for (let n = 0; n < 2; n++)
    expect((await ada.call("call_status", { id: call })).structuredContent).toMatchObject({
      id: call,
      kind: "call",
      status: "answered",
      result: { content: [{ text: "done" }] },
    });
});

test("a call of another session or agent reads as unknown, like one that never was", async () => {
  const mail = fakeServer();
  const { session, settle } = await harness({ servers: { mail } });
  const first = (await session("s_1")).ask("mail__act");
  await settle();
  mail.calls[0]?.answer(text("done"));
  const { call } = await first;
  for (const [id, agent] of [
    ["s_2", "ada"],
    ["s_3", "bob"],
  ] as const)
    expect((await (await session(id, agent)).call("call_status", { id: call })).structuredContent).toEqual({
      id: call,
      kind: "call",
      status: "unknown",
    });
  expect((await (await session("s_1")).call("call_status", { id: "c_none" })).structuredContent).toMatchObject({ status: "unknown" });
});

test("an heir may look at what it inherited", async () => {
  const mail = fakeServer();
  const { session, settle, runtime } = await harness({ servers: { mail } });
  const first = (await session("s_1")).ask("mail__act");
  await settle();
  mail.calls[0]?.answer(text("done"));
  const { call } = await first;
  await session("s_2");
  await runtime.enter("session/s_1", { type: "bequeath", to: "s_2" });
  expect((await (await session("s_2")).call("call_status", { id: call })).structuredContent).toMatchObject({ status: "answered" });
});

test("a doubt says how it was resolved", async () => {
  const mail = fakeServer();
  const { session, settle, clock } = await harness({ servers: { mail } });
  const ada = await session("s_1");
  const first = ada.ask("mail__act");
  await settle();
  await clock.advance(55_000);
  const { call } = await first;
  const status = async () => (await ada.call("call_status", { id: call })).structuredContent;
  expect(await status()).toMatchObject({ status: "in_doubt", error: { code: "timeout", certainty: "in_doubt" } });
  await ada.call("resolve_call", { call, outcome: "applied" });
  expect(await status()).toMatchObject({ status: "in_doubt, resolved: applied" });
});
