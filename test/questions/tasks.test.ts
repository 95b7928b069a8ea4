import { expect, test } from "bun:test";
import type { SessionState } from "../../actors/session-commands.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";
import { harness, memoryLog } from "../harness.ts";
import { ended, started, TASKS, taskServer } from "./task-fixture.ts";

test("a call goes on in the background: its outcome comes with the next result, once", async () => {
  const { server, reports, place, ada, result, id } = await started();
  expect(result.content[0]?.text).toContain(id);
  expect(id).toMatch(/^t_[0-9a-f]{32}$/);
  await place.clock.advance(1000);
  reports.push(ended);
  await place.clock.advance(1000);
  await place.settle();
  expect(place.views.task(id)).toMatchObject({ status: "completed", delivered: false });
  const next = ada.call("lab__other");
  await place.settle();
  server.calls.at(-1)?.answer({ kind: "result", result: { content: [{ type: "text", text: "other" }] } });
  const told = await next;
  expect(told.content.map((block) => block.text).join("\n")).toContain("the report");
  await place.settle();
  expect(place.views.task(id)).toMatchObject({ delivered: true });
  const third = ada.call("lab__other");
  await place.settle();
  server.calls.at(-1)?.answer({ kind: "result", result: { content: [{ type: "text", text: "other" }] } });
  expect((await third).content).toHaveLength(1);
  expect((await ada.call("call_status", { id })).content[0]?.text).toContain("completed");
  expect(place.failures).toEqual([]);
});

test("what call_status has told is not announced", async () => {
  const { server, reports, place, ada, id } = await started();
  reports.push(ended);
  await place.clock.advance(1000);
  await place.settle();
  const status = await ada.call("call_status", { id });
  expect(JSON.stringify(status)).toContain("the report");
  await place.settle();
  expect(place.views.task(id)?.delivered).toBe(true);
  const next = ada.call("lab__other");
  await place.settle();
  server.calls.at(-1)?.answer({ kind: "result", result: { content: [{ type: "text", text: "other" }] } });
  expect((await next).content).toHaveLength(1);
});

test("it is asked for again after a restart", async () => {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const { id } = await started({ log, sealed });
  const lab = taskServer();
  lab.reports.push(ended);
  const place = await harness({ servers: { lab: lab.server }, policies: { lab: TASKS }, log, sealed });
  await place.session("s_1");
  await place.clock.advance(2000);
  await place.settle();
  expect(place.views.task(id)?.status).toBe("completed");
});

test("it is stopped, and in doubt when its server does not confirm that", async () => {
  const { cancelled, place, ada, id } = await started();
  expect((await ada.call("mcp_cancel_task", { task_id: id })).isError).toBeUndefined();
  await place.settle();
  expect(cancelled).toEqual(["remote-1"]);
  await place.clock.advance(6000);
  await place.settle();
  expect(place.views.task(id)?.status).toBe("cancelled");
  expect(place.views.doubts("ada")).toHaveLength(1);
});

test("the wish to stop it outlives a restart: its server is told once it is connected", async () => {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(1), Date.now);
  const { ada, place: first, id } = await started({ log, sealed });
  await ada.call("mcp_cancel_task", { task_id: id });
  await first.settle();
  const lab = taskServer();
  const place = await harness({ servers: { lab: lab.server }, policies: { lab: TASKS }, log, sealed });
  lab.reports.push({ kind: "cancelled" });
  await place.clock.advance(2000);
  await place.settle();
  expect(lab.cancelled).toEqual(["remote-1"]);
  expect(place.views.task(id)).toMatchObject({ status: "cancelled", reason: "its server has cancelled the task" });
});

test("who leaves while its outcome is on the way has not heard it: it is told again, and counts as delivered only then", async () => {
  const { server, reports, place, ada, id } = await started();
  reports.push(ended);
  await place.clock.advance(1000);
  await place.settle();
  const client = new AbortController();
  const gone = ada.call("lab__other", {}, { signal: client.signal });
  await place.settle();
  server.calls.at(-1)?.answer({ kind: "result", result: { content: [{ type: "text", text: "other" }] } });
  const open = () => Object.keys((place.runtime.stateOf("session/s_1") as SessionState).open);
  while (open().length > 0) await Promise.resolve(); // decided, and not committed
  client.abort("cancelled");
  await gone;
  await place.settle();
  expect(place.views.task(id)?.delivered).toBe(false);
  const next = ada.call("lab__other", { again: true });
  await place.settle();
  server.calls.at(-1)?.answer({ kind: "result", result: { content: [{ type: "text", text: "other" }] } });
  expect((await next).content.map((block) => block.text).join("\n")).toContain("the report");
  await place.settle();
  expect(place.views.task(id)?.delivered).toBe(true);
});
