import { describe, expect, test } from "bun:test";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { memoryLog, text } from "../harness.ts";
import { asks, form, lastOf, MAILBOX } from "./fixture.ts";
import { ADA, AUTO, FOLLOWS, HANDBACK, place } from "./offered-fixture.ts";

describe.each([
  { way: "handback", policy: HANDBACK },
  { way: "client", policy: AUTO },
])("a call that was offered and then asks ($way)", ({ policy }) => {
  test("shows its question in its task, and goes on with the answer", async () => {
    const { files, offered, get, tasks, settle, views, types, failures } = await place({ policies: { files: policy } });
    const { taskId } = await offered();
    files.calls[0]?.answer(asks({ which: MAILBOX }) as never);
    await settle();
    expect(await get(taskId)).toMatchObject({ status: "input_required", inputRequests: { which: MAILBOX } });
    expect(views.task(taskId)?.status).toBe("input_required");
    await tasks.update(ADA, taskId, { which: { action: "accept", content: { mailbox: "home" } }, other: 1 }, FOLLOWS);
    await settle();
    expect(lastOf(files).inputResponses).toEqual({ which: { action: "accept", content: { mailbox: "home" } } });
    expect(views.task(taskId)?.status).toBe("working");
    expect(await get(taskId)).toMatchObject({ status: "working" });
    files.calls[1]?.answer(text("sent"));
    await settle();
    expect(await get(taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "sent" }, {}] } });
    expect(types("tasks")).toContain("task.settled");
    expect(failures).toEqual([]);
  });

  test("takes its answers one after the other, and nothing that is none", async () => {
    const { files, offered, get, tasks, settle } = await place({ policies: { files: policy } });
    const { taskId } = await offered();
    const again = form("Which folder?", { folder: { type: "string" } }, ["folder"]);
    files.calls[0]?.answer(asks({ which: MAILBOX, where: again }) as never);
    await settle();
    await tasks.update(ADA, taskId, { which: { action: "accept", content: { mailbox: "home" } } }, FOLLOWS);
    expect(files.calls).toHaveLength(1);
    expect((await get(taskId)) as unknown).toMatchObject({ inputRequests: { where: again } });
    expect(JSON.stringify(await get(taskId))).not.toContain("mailbox");
    for (const none of [null, "no", { action: "maybe" }]) await tasks.update(ADA, taskId, { where: none }, FOLLOWS);
    expect(files.calls).toHaveLength(1);
    expect((await get(taskId)) as unknown).toMatchObject({ inputRequests: { where: again } });
    await tasks.update(ADA, taskId, { where: { action: "decline" } }, FOLLOWS);
    await settle();
    expect(lastOf(files).inputResponses).toMatchObject({ which: { action: "accept" }, where: { action: "decline" } });
  });

  test("shows no key twice for two things: what the next round asks has another one", async () => {
    const often = { elicitation: { ...policy.elicitation, maxPerCall: 9 } };
    const { files, offered, get, tasks, settle } = await place({ policies: { files: often } });
    const { taskId } = await offered();
    const answer = { action: "accept", content: { mailbox: "home" } };
    const keys: string[] = [];
    for (let round = 0; round < 3; round++) {
      files.calls[round]?.answer(asks({ which: MAILBOX, "2/which": MAILBOX }, `state-${round}`) as never);
      await settle();
      const { inputRequests } = (await get(taskId)) as unknown as { inputRequests: Record<string, unknown> };
      expect(Object.values(inputRequests)).toEqual([MAILBOX, MAILBOX]);
      keys.push(...Object.keys(inputRequests));
      await tasks.update(ADA, taskId, Object.fromEntries(keys.map((key) => [key, answer])), FOLLOWS);
      await settle();
      expect(lastOf(files).inputResponses).toEqual({ which: answer, "2/which": answer });
    }
    expect(new Set(keys).size).toBe(6);
  });

  test("asks for all of its answers again when we die after some of them, under keys that the client does not know", async () => {
    const [log, sealed] = [memoryLog(), openSealedStore(":memory:", new Uint8Array(32).fill(3), () => 0)];
    const again = form("Which folder?", { folder: { type: "string" } }, ["folder"]);
    const first = await place({ policies: { files: policy }, log, sealed });
    const { taskId } = await first.offered();
    first.files.calls[0]?.answer(asks({ which: MAILBOX, where: again }) as never);
    await first.settle();
    await first.clock.advance(1000);
    await first.tasks.update(ADA, taskId, { which: { action: "accept", content: { mailbox: "home" } } }, FOLLOWS);
    await first.settle();

    const { files, get, tasks, settle } = await place({ policies: { files: policy }, log, sealed });
    const { inputRequests } = (await get(taskId)) as unknown as { inputRequests: Record<string, unknown> };
    expect(Object.values(inputRequests)).toEqual([MAILBOX, again]);
    const [which = "", where = ""] = Object.keys(inputRequests);
    expect(["which", "where"]).not.toContain(which);
    await tasks.update(ADA, taskId, { where: { action: "decline" } }, FOLLOWS); // of a form that the client still had open
    expect(Object.keys(((await get(taskId)) as unknown as typeof inputRequests)["inputRequests"] as object)).toEqual([which]);
    await tasks.update(
      ADA,
      taskId,
      { [where]: { action: "accept" }, [which]: { action: "accept", content: { mailbox: "work" } } },
      FOLLOWS,
    );
    await settle();
    expect(lastOf(files).inputResponses).toMatchObject({ which: { action: "accept" }, where: { action: "decline" } });
  });

  test("can be stopped while it waits", async () => {
    const { files, offered, get, tasks, settle, views } = await place({ policies: { files: policy } });
    const { taskId } = await offered();
    files.calls[0]?.answer(asks({ which: MAILBOX }) as never);
    await settle();
    await tasks.cancel(ADA, taskId);
    await settle();
    expect(await get(taskId)).toMatchObject({ status: "cancelled" });
    expect(views.openQuestions()).toBe(0);
  });

  test("is answered by its agent as well, whose answer is then the outcome", async () => {
    const { files, offered, get, ada, settle, views } = await place({ policies: { files: policy } });
    const { taskId } = await offered();
    files.calls[0]?.answer(asks({ which: MAILBOX }) as never);
    await settle();
    const id = views.questionOf(views.task(taskId)?.callId ?? "")?.id;
    const answer = ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } });
    await settle();
    files.calls[1]?.answer(text("sent"));
    expect((await answer).content[0]?.text).toBe("sent");
    await settle();
    expect(await get(taskId)).toMatchObject({ status: "completed" });
    expect(views.task(taskId)?.delivered).toBe(true);
  });
});

test("a call that waits for people may be stopped as a task, and ends", async () => {
  const { ada, clock, settle, tasks, get, failures } = await place({
    policy: { rules: [{ name: "ask", tool: "files__act", action: "ask", reason: "look first" }] as never },
  });
  const call = ada.call("files__act", {}, { abilities: { ...FOLLOWS, elicitation: false } });
  await settle();
  await clock.advance(20_000);
  const { taskId } = (await call) as unknown as { taskId: string };
  expect(taskId).toMatch(/^t_/);
  await tasks.cancel(ADA, taskId);
  await settle();
  expect(await get(taskId)).toMatchObject({ status: "cancelled" });
  expect(failures).toEqual([]);
});

test("one that waited for people for too long has completed with that", async () => {
  const { ada, clock, settle, get } = await place({
    policy: { rules: [{ name: "ask", tool: "files__act", action: "ask", reason: "look first" }] as never },
  });
  const call = ada.call("files__act", {}, { abilities: { ...FOLLOWS, elicitation: false } });
  await settle();
  await clock.advance(20_000);
  const { taskId } = (await call) as unknown as { taskId: string };
  await clock.advance(25_000);
  expect(await get(taskId)).toMatchObject({
    status: "completed",
    result: { isError: true, structuredContent: { error: { code: "approval_pending", approvalId: expect.stringMatching(/^a_/) } } },
  });
});

test("an answer of the agent that lasts becomes a task of its own, and what the call comes to is its result", async () => {
  const { files, ada, settle, clock, get, views } = await place({ policies: { files: HANDBACK } });
  const call = ada.call("files__act", {}, { abilities: { ...FOLLOWS, elicitation: false } });
  await settle();
  files.calls[0]?.answer(asks({ which: MAILBOX }) as never);
  const { structuredContent: shown = {} } = await call;
  const { id } = shown["question"] as { id: string };
  const answer = ada.call("mcp_answer", { question_id: id, answers: { mailbox: "home" } }, { abilities: FOLLOWS });
  await settle();
  await clock.advance(20_000);
  const { taskId } = (await answer) as unknown as { taskId: string };
  expect(views.task(taskId)).toMatchObject({ server: "builtin", tool: "mcp_answer", kind: "call" });
  files.calls[1]?.answer(text("sent"));
  await settle();
  expect(await get(taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "sent" }, {}] } });
});

test("a client's retry that lasts becomes a task as well", async () => {
  const { files, ada, settle, clock, get } = await place({ policies: { files: AUTO } });
  const call = ada.call("files__act", {}, { abilities: FOLLOWS });
  await settle();
  files.calls[0]?.answer(asks({ which: MAILBOX }) as never);
  const { requestState } = (await call) as unknown as { requestState: string };
  const inputResponses = { which: { action: "accept", content: { mailbox: "work" } } };
  const retry = ada.call("files__act", {}, { abilities: FOLLOWS, requestState, inputResponses });
  await settle();
  await clock.advance(20_000);
  const { taskId } = (await retry) as unknown as { taskId: string };
  files.calls[1]?.answer(text("sent"));
  await settle();
  expect(await get(taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "sent" }, {}] } });
});
