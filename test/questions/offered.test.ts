import { describe, expect, test } from "bun:test";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { memoryLog, text } from "../harness.ts";
import { hookOf } from "../system/hooks-fixture.ts";
import { lastOf } from "./fixture.ts";
import { ADA, FOLLOWS, place, sessionOf } from "./offered-fixture.ts";

describe("a call of a client that follows tasks", () => {
  test("is answered with its result when it is there in time", async () => {
    const { files, ada, settle, types } = await place();
    const call = ada.call("files__act", {}, { abilities: FOLLOWS });
    await settle();
    files.calls[0]?.answer(text("done"));
    expect(await call).toEqual({ content: [{ type: "text", text: "done" }] });
    expect(types("tasks")).toEqual([]);
  });

  test("becomes a task when it lasts; written down first, and its result is handed out when it ends", async () => {
    const { files, offered, get, types, settle, failures } = await place();
    const handle = await offered();
    expect(handle).toMatchObject({ resultType: "task", status: "working" });
    expect(handle.taskId).toMatch(/^t_[0-9a-f]{32}$/);
    expect(types("tasks")).toEqual(["task.offered"]);
    expect(await get(handle.taskId)).toMatchObject({ status: "working" });
    files.calls[0]?.answer(text("done"));
    await settle();
    expect(await get(handle.taskId)).toMatchObject({ status: "completed", result: { content: [{ type: "text", text: "done" }] } });
    expect(types("tasks")).toEqual(["task.offered", "task.settled", "task.delivered"]);
    expect(failures).toEqual([]);
  });

  test("is told once: not announced after its client has read it", async () => {
    const { files, offered, get, ada, settle } = await place();
    const { taskId } = await offered();
    files.calls[0]?.answer(text("done"));
    await settle();
    await get(taskId);
    await get(taskId);
    const next = await ada.call("call_status");
    expect(next.content.map((block) => block.text).join()).not.toContain("Notice about an earlier call");
  });

  test("is announced when its client does not ask", async () => {
    const { files, offered, ada, settle, views } = await place();
    const { taskId } = await offered("files__look");
    files.calls[0]?.answer(text("seen"));
    await settle();
    const next = await ada.call("call_status");
    expect(next.content[0]?.text).toContain(taskId);
    expect(next.content[0]?.text).toContain("seen");
    await settle();
    expect(views.task(taskId)?.delivered).toBe(true);
    const third = await ada.call("call_status");
    expect(third.content[0]?.text).not.toContain(taskId);
  });

  test("waits as long as any call may, unless its server says otherwise", async () => {
    const { files, offered, get, clock } = await place();
    const { taskId } = await offered();
    await clock.advance(300_000);
    expect(await get(taskId)).toMatchObject({ status: "working" });
    files.calls[0]?.answer(text("done"));
    await clock.advance(0);
    expect(await get(taskId)).toMatchObject({ status: "completed" });
  });

  test("with a time-out of its server's own is cut there, in doubt", async () => {
    const { offered, get, clock } = await place({ policies: { files: { toolTimeoutMs: 40_000 } } });
    const { taskId } = await offered();
    await clock.advance(20_000);
    expect(await get(taskId)).toMatchObject({
      status: "completed",
      result: { isError: true, structuredContent: { error: { code: "timeout", certainty: "in_doubt" } } },
    });
  });

  test("is not offered where tasks are not, and to nobody who does not follow them", async () => {
    const never = await place({ offer: { offer: "never" } });
    const call = never.ada.call("files__act", {}, { abilities: FOLLOWS });
    await never.clock.advance(60_000);
    expect(await call).toMatchObject({ isError: true, structuredContent: { error: { code: "timeout" } } });
    const plain = await place();
    const other = plain.ada.call("files__act", {}, { abilities: { ...FOLLOWS, tasks: false } });
    await plain.clock.advance(60_000);
    expect(await other).toMatchObject({ isError: true });
    expect(plain.types("tasks")).toEqual([]);
  });

  test("is one at once where its tool says so", async () => {
    const { ada, settle, files, get } = await place({ offer: { perTool: { files__act: "always" } } });
    const handle = (await ada.call("files__act", {}, { abilities: FOLLOWS })) as unknown as { taskId: string };
    expect(handle.taskId).toMatch(/^t_/);
    files.calls[0]?.answer(text("done"));
    await settle();
    expect(await get(handle.taskId)).toMatchObject({ status: "completed" });
    const quick = ada.call("files__look", {}, { abilities: FOLLOWS });
    await settle();
    files.calls[1]?.answer(text("seen"));
    expect((await quick).content[0]?.text).toBe("seen");
  });

  test("a tool of ours is offered like any other when it lasts, but not at once because all are", async () => {
    const { ada } = await place({ offer: { offer: "always" } });
    expect((await ada.call("call_status", {}, { abilities: FOLLOWS })).content[0]?.text).toContain("Nothing is open");
  });

  test("whose client leaves before the offer is none", async () => {
    const { ada, clock, settle, types } = await place();
    const left = new AbortController();
    const call = ada.call("files__act", {}, { abilities: FOLLOWS, signal: left.signal });
    await settle();
    left.abort("disconnected");
    await call;
    await clock.advance(30_000);
    expect(types("tasks")).toEqual([]);
  });

  test("is stopped when its client says so", async () => {
    const { files, offered, tasks, get, clock, settle } = await place();
    const { taskId } = await offered();
    await tasks.cancel(ADA, taskId);
    await settle();
    expect(lastOf(files).signal?.aborted).toBe(true);
    files.calls[0]?.answer({ kind: "cancelled" } as never);
    await clock.advance(6_000);
    expect(await get(taskId)).toMatchObject({ status: "cancelled" });
  });

  test("that was cut by our crash has completed with the doubt", async () => {
    const log = memoryLog();
    const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
    const { taskId } = await (await place({ log, sealed })).offered();
    const after = await place({ log, sealed });
    expect(await after.get(taskId)).toMatchObject({
      status: "completed",
      result: { isError: true, structuredContent: { error: { code: "in_doubt", certainty: "in_doubt" } } },
    });
    expect(after.failures).toEqual([]);
  });

  test("that hooks were still asked about when we were killed has ended, and nothing was sent", async () => {
    const log = memoryLog();
    const policy = { preToolUse: [hookOf("slow", { timeoutMs: 60_000 })] };
    const offer = { perTool: { files__act: "always" as const } };
    const before = await place({ log, policy, offer, runHook: () => new Promise(() => undefined) });
    const { taskId } = (await before.ada.call("files__act", {}, { abilities: FOLLOWS })) as unknown as { taskId: string };
    const after = await place({ log });
    expect(await after.get(taskId)).toMatchObject({ status: "cancelled" });
    expect(after.files.calls).toHaveLength(0);
  });

  test("is nobody else's: a foreign id is as unknown as any", async () => {
    const { offered, get, tasks, session } = await place();
    const { taskId } = await offered();
    await session("s_2", "bob");
    expect(await get(taskId, sessionOf("s_2", "bob"))).toBeUndefined();
    expect(await get(`t_${"0".repeat(32)}`)).toBeUndefined();
    expect(await tasks.cancel(sessionOf("s_2", "bob"), taskId)).toBeUndefined();
    expect(await tasks.update(sessionOf("s_2", "bob"), taskId, {}, FOLLOWS)).toBeUndefined();
  });
});
