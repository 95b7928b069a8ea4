/** What is sealed and belongs to nobody any more when a process starts: of erased sessions, and of tasks that have ended for us. */
import { expect, test } from "bun:test";
import type { RunHook } from "../../src/effects/hook-reply.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { harness, memoryLog } from "../harness.ts";
import { hookOf } from "../system/hooks-fixture.ts";
import { asks, MAILBOX, mailPlace, modernServer } from "./fixture.ts";
import { ended, HANDBACK, started, TASKS, taskServer } from "./task-fixture.ts";

const store = () => openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
const sealedTasks = (sealed: ReturnType<typeof store>) => sealed.names("task").map(({ name }) => sealed.get("task", name) ?? "");

test("a question of a session that was erased has lapsed at the next start, and nothing of its call is kept", async () => {
  const [log, sealed, mail] = [memoryLog(), store(), modernServer()];
  const before = await mailPlace({}, { log, sealed });
  await before.interrupted(asks({ which: MAILBOX }));
  const question = before.place.views.questions(0)[0];
  expect([question?.status, sealed.names("question").length]).toEqual(["open", 1]);
  await log.erase({ session: "s_1", by: "operator", reason: "asked to" });
  const { place, ada } = await mailPlace({}, { log, sealed }, mail);
  await place.settle();
  expect(sealed.names("question")).toEqual([]);
  expect(place.views.question(question?.id ?? "")).toMatchObject({ status: "lapsed", reason: "its session was erased" });
  expect(place.views.call(question?.callId ?? "")).toMatchObject({ status: "ended", certainty: "not_applied" });
  const answer = await ada.call("mcp_answer", { question_id: question?.id, answers: { mailbox: "work" } });
  expect([answer.isError, mail.calls.length, place.failures]).toEqual([true, 0, []]);
});

test("a task of an erased session goes on, without what its call was made with", async () => {
  const [log, sealed] = [memoryLog(), store()];
  const { id } = await started({ log, sealed });
  expect(sealedTasks(sealed).join()).toContain("bees");
  await log.erase({ session: "s_1", by: "operator", reason: "asked to" });
  const lab = taskServer();
  lab.reports.push(ended);
  const place = await harness({ servers: { lab: lab.server }, policies: { lab: TASKS }, log, sealed });
  expect(sealedTasks(sealed).join()).toContain("remote-1");
  expect(sealedTasks(sealed).join()).not.toContain("bees");
  await place.clock.advance(2000);
  await place.settle();
  expect([place.views.task(id)?.status, sealedTasks(sealed), place.failures]).toEqual(["completed", [], []]);
});

test("others keep theirs", async () => {
  const [log, sealed] = [memoryLog(), store()];
  const { place: first } = await started({ log, sealed, elicitation: HANDBACK });
  await first.session("s_2");
  await log.erase({ session: "s_2", by: "operator", reason: "asked to" });
  await harness({ servers: { lab: taskServer().server }, policies: { lab: TASKS }, log, sealed });
  expect(sealedTasks(sealed).join()).toContain("bees");
});

/** Its server is gone when its time runs out. */
async function expired() {
  const [log, sealed] = [memoryLog(), store()];
  const { place, server, cancelled, id } = await started({ log, sealed });
  server.reachable = false;
  server.crash();
  await place.clock.advance(3_600_000);
  await place.settle();
  expect([place.views.task(id)?.status, cancelled, sealed.names("task").length]).toEqual(["expired", [], 1]);
  return { log, sealed, place, server, cancelled };
}

test("a task that ended here while its server was away is told to stop when the server is back", async () => {
  const { place, server, sealed, cancelled } = await expired();
  server.reachable = true;
  await place.clock.advance(120_000);
  await place.settle();
  expect([cancelled, sealed.names("task"), place.failures]).toEqual([["remote-1"], [], []]);
});

test("so it is by the next process", async () => {
  const { log, sealed } = await expired();
  const lab = taskServer();
  const place = await harness({ servers: { lab: lab.server }, policies: { lab: TASKS }, log, sealed });
  await place.clock.advance(1000);
  await place.settle();
  expect([lab.cancelled, sealed.names("task"), place.failures]).toEqual([["remote-1"], [], []]);
});

test("another server under its name hears nothing of it", async () => {
  const { log, sealed, place: first } = await expired();
  await first.configure({}, "d2", {}, []);
  const lab = taskServer();
  const servers = { first: taskServer().server, lab: lab.server }; // its place says which one it is
  const place = await harness({ servers, policies: { lab: TASKS }, log, sealed });
  await place.clock.advance(1000);
  await place.settle();
  expect([lab.cancelled, sealed.names("task"), place.failures]).toEqual([[], [], []]);
});

test("a server that is removed is told to stop its tasks, on the connection that it still has", async () => {
  const { place, cancelled, id } = await started();
  await place.configure({}, "d2", {}, []);
  await place.settle();
  expect([place.views.task(id)?.status, cancelled, place.failures]).toEqual(["cancelled", ["remote-1"], []]);
});

test("hooks after a call hear of the end of a task, with what the call was made with", async () => {
  const inputs: unknown[] = [];
  const runHook: RunHook = async (_, input) => {
    inputs.push(input);
    return { kind: "output", text: "" };
  };
  const { place, reports, id } = await started({ runHook, policy: { postToolUse: [hookOf("log", { if: "topic == 'bees'" })] } });
  await place.clock.advance(0);
  expect(inputs).toEqual([]);
  reports.push(ended);
  await place.clock.advance(2000);
  await place.settle();
  expect(place.views.task(id)?.status).toBe("completed");
  expect(inputs).toMatchObject([{ event: "postToolUse", name: "lab__research", arguments: { topic: "bees" }, certainty: "answered" }]);
  expect(JSON.stringify(inputs)).toContain("the report");
});
