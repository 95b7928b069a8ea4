/** Tasks of modern servers: what a call becomes, and what can be learnt of it and told to it. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTaskBook } from "../../fixtures/servers/task-book.ts";
import { taskServer } from "../../fixtures/servers/task-server.ts";
import { accept, asked, further, running, stopAll } from "./asking-support.ts";
import { http, open, program, textOf } from "./support.ts";
import { background, FOLLOWS, start, startedIn, tasksOf } from "./task-support.ts";

afterEach(stopAll);

const newFile = () => join(mkdtempSync(join(tmpdir(), "tasks-")), "state");
const overHttp = (state?: string) => http(running(taskServer({ book: createTaskBook(state) })).url);
const overStdio = (state?: string) => program("task-server.ts", state === undefined ? [] : ["--state", state]);

describe.each([
  ["HTTP", overHttp],
  ["stdio", overStdio],
] as const)("a server over %s", (_, target) => {
  test("goes on in the background, and its outcome is read later", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const { task, report } = await start(downstream, "slow", { key: "a", pollIntervalMs: 1234 });
    expect(task).toEqual({ taskId: expect.stringMatching(/^[0-9a-f-]{36}$/), era: "modern", pollIntervalMs: 1234 });
    expect(await report()).toEqual({ kind: "working", pollIntervalMs: 1234 });
    await downstream.call({ tool: "release", arguments: { key: "a" } });
    for (let i = 0; i < 2; i++) {
      expect(await report()).toEqual({
        kind: "ended",
        outcome: { kind: "result", result: { content: [{ type: "text", text: "slow a" }] } },
      });
    }
  });

  test.each([false, true])("gives a result with or without a discriminator of its own (without: %s)", async (plain) => {
    const { downstream } = await open(target(), FOLLOWS);
    const { report } = await start(downstream, "quick", { value: 1, plain });
    expect(await report()).toEqual({
      kind: "ended",
      outcome: { kind: "result", result: { content: [{ type: "text", text: "quick 1" }] } },
    });
  });

  test("tells a tool that failed from a task that did", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const inside = await start(downstream, "failing");
    expect(await inside.report()).toMatchObject({ kind: "ended", outcome: { kind: "result", result: { isError: true } } });
    const outside = await start(downstream, "failing", { protocol: true });
    expect(await outside.report()).toEqual({ kind: "ended", outcome: { kind: "rpc_error", code: -32050, message: "no luck" } });
  });

  test("asks inside a task, one after the other or together", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const one = await start(downstream, "survey", { questions: 2 });
    expect(await one.report()).toEqual({
      kind: "input_required",
      requests: { q1: { method: "elicitation/create", params: expect.objectContaining({ message: "Who is q1?" }) } },
      pollIntervalMs: 50,
    });
    expect(await one.answer({ q1: accept({ name: "Ann" }) })).toMatchObject({ kind: "result" });
    expect(await one.report()).toMatchObject({ requests: { q2: {} } });
    await one.answer({ q2: { action: "decline" } });
    expect(await one.report()).toMatchObject({ outcome: { result: { content: [{ text: 'survey accept {"name":"Ann"}, decline {}' }] } } });

    const both = await start(downstream, "survey", { questions: 2, together: true });
    const report = await both.report();
    expect(report.kind === "input_required" && Object.keys(report.requests)).toEqual(["q1", "q2"]);
    await both.answer({ q1: { action: "cancel" }, q2: accept({ name: "Bo" }) });
    expect(await both.report()).toMatchObject({ kind: "ended" });
  });

  test("is told to stop, twice as well as once, and an ended task stays as it is", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const { report, cancel } = await start(downstream, "endless");
    expect(await report()).toEqual({ kind: "working", pollIntervalMs: 50 });
    for (let i = 0; i < 2; i++) expect(await cancel()).toMatchObject({ kind: "result" });
    expect(await report()).toEqual({ kind: "cancelled" });
    const ended = await start(downstream, "quick", { value: 1 });
    await ended.cancel();
    expect(await ended.report()).toMatchObject({ kind: "ended" });
  });

  test("does not know a task that it never had, or has forgotten", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const { report, answer, cancel } = await start(downstream, "vanishing");
    expect(await report()).toEqual({ kind: "unknown" });
    expect(await answer({})).toMatchObject({ kind: "rpc_error", code: -32602 });
    expect(await cancel()).toMatchObject({ kind: "rpc_error", code: -32602 });
  });

  test("knows its tasks after a restart when it wrote them down, and else does not", async () => {
    const state = newFile();
    for (const file of [state, undefined]) {
      const first = await open(target(file), FOLLOWS);
      const { task } = await start(first.downstream, "slow", { key: "a" });
      await first.downstream.close();
      const { downstream } = await open(target(file), FOLLOWS);
      expect(await tasksOf(downstream).report(task)).toMatchObject({ kind: file === undefined ? "unknown" : "working" });
    }
  });

  test("may ask first and go on in the background then", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const reply = await downstream.call(background("ask_first"));
    expect(Object.keys(asked(reply).requests)).toEqual(["who"]);
    const task = startedIn(await further(downstream, background("ask_first"), reply, { who: accept({ name: "Ann" }) }));
    expect(await tasksOf(downstream).report(task)).toMatchObject({ outcome: { result: { content: [{ text: "quick Ann" }] } } });
  });

  test.each([
    ["the caller does not follow tasks", { tasks: true }, {}],
    ["the caller only deals with questions", { elicitation: true, tasks: true }, { accepts: { questions: true } }],
    ["the connection must not", { elicitation: true }, { accepts: { tasks: true } }],
  ])("works at once, or not at all, when %s", async (_why, options, accepts) => {
    const { downstream } = await open(target(), options);
    expect(textOf(await downstream.call({ tool: "quick", arguments: {}, ...accepts }))).toBe("quick {} without a task");
    const refused = { kind: "rpc_error", code: -32021, data: { requiredCapabilities: { extensions: {} } } };
    expect(await downstream.call({ tool: "required", arguments: {}, ...accepts })).toMatchObject(refused);
    expect(downstream.tasks === undefined).toBe(!("tasks" in options));
  });

  test.each([
    [{ status: "dreaming" }, "a status that is not known"],
    [{ status: "completed", taskId: "another", result: { content: [] } }, "of another task"],
    [{ status: "input_required" }, "its inputRequests are no object"],
    [{ status: "input_required", inputRequests: { a: {} } }, "one of its inputRequests is no request"],
  ])("is not believed what cannot be read (%j)", async (stand, reason) => {
    const { downstream } = await open(target(), FOLLOWS);
    const { report } = await start(downstream, "odd", { stand });
    expect(await report()).toEqual({ kind: "failed", reason: expect.stringContaining(reason) });
  });

  test("has an outcome that nobody can read when what it inlines is none", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const outcomeOf = async (stand: unknown) => (await start(downstream, "odd", { stand })).report();
    expect(await outcomeOf({ status: "completed" })).toMatchObject({ kind: "ended", outcome: { kind: "lost" } });
    expect(await outcomeOf({ status: "failed" })).toMatchObject({ kind: "ended", outcome: { kind: "rpc_error", code: -32603 } });
    const again = { status: "completed", result: { resultType: "input_required", inputRequests: {} } };
    expect(await outcomeOf(again)).toMatchObject({ kind: "ended", outcome: { kind: "rpc_error" } });
  });

  test("gets an id that is too long back as no task", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    expect(await downstream.call(background("long_id"))).toMatchObject({
      kind: "rpc_error",
      message: expect.stringContaining("task-id-bytes"),
      data: { limit: "task-id-bytes" },
    });
  });

  test("may use one id twice", async () => {
    const { downstream } = await open(target(), FOLLOWS);
    const [one, two] = [await start(downstream, "twin", { value: 1 }), await start(downstream, "twin", { value: 2 })];
    expect([one.task.taskId, two.task.taskId]).toEqual(["twin", "twin"]);
    expect(await one.report()).toEqual(await two.report());
  });
});
