/** `/v1/tasks`: what goes on in the background, and what comes of telling it to stop. */
import { describe, expect, test } from "bun:test";
import { TASKS } from "../../actors/address.ts";
import type { KnownOperator } from "../../src/doors/guard.ts";
import { taskRoutes } from "../../src/doors/tasks.ts";
import { place, taskId } from "./question-fixture.ts";

const ROOT: KnownOperator = { name: "root", tokenHash: "sha256:root", roles: ["view", "decide"] };
const LOCAL: KnownOperator = { name: "cli:1000", tokenHash: "", roles: ["view", "decide", "admin"] };

async function door() {
  const world = await place();
  const routes = taskRoutes({ ...world, position: () => world.log.head.position, now: world.clock.now });
  const send = async (path: string, who = ROOT, method = "GET") => {
    const request = new Request(`http://x${path}`, { method });
    const response = await routes(request, new URL(request.url), who);
    await world.settle();
    return { status: response?.status, body: (await response?.json()) as Record<string, unknown> & { tasks: Record<string, unknown>[] } };
  };
  const list = async (query = "") => (await send(`/v1/tasks${query}`)).body.tasks;
  const cancel = (id: string, who = ROOT) => send(`/v1/tasks/${id}/cancel`, who, "POST");
  const cancelling = () =>
    world.log.page({ after: 0, limit: 1000, type: "task.cancelling" }).map(({ data }) => (data as { by: string }).by);
  return { ...world, send, list, cancel, cancelling };
}

test("a row says what goes on, for whom and until when", async () => {
  const { started, list, clock, send, log } = await door();
  const { call, id } = await started(1);
  expect(await list()).toEqual([
    {
      id,
      callId: call,
      session: "s_1",
      agent: "ada",
      server: "Mail",
      tool: "send",
      name: "Mail__send",
      kind: "server",
      status: "working",
      delivered: false,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      deadline: clock.now() + 3_600_000,
      pollFailures: 0,
      pollMs: 1000,
    },
  ]);
  expect((await send("/v1/tasks")).body["position"]).toBe(log.head.position);
});

test("ended ones are listed for a day, newest last, with whether the agent has heard", async () => {
  const { started, ended, tell, list, clock, send } = await door();
  const [first, second] = [await started(1), await started(2)];
  await ended(first.id, "completed");
  await tell(TASKS, { type: "delivered", calls: [first.call], by: "call_status" });
  expect((await list()).map(({ id, status, delivered }) => [id, status, delivered])).toEqual([
    [first.id, "completed", true],
    [second.id, "working", false],
  ]);
  expect((await list("?status=completed")).map(({ id }) => id)).toEqual([first.id]);
  expect((await send("/v1/tasks?status=running")).status).toBe(400);
  await clock.advance(3_600_000);
  await clock.advance(86_400_000 - 3_600_000 + 1);
  expect((await list()).map(({ id, status }) => [id, status])).toEqual([[second.id, "expired"]]);
});

test("what its server says of it, and that it says nothing, is seen", async () => {
  const { started, polled, list } = await door();
  const { id } = await started(1);
  await polled(id);
  await polled(id);
  expect(await list()).toMatchObject([{ status: "working", pollFailures: 2 }]);
  await polled(id, "input_required");
  expect(await list()).toMatchObject([{ status: "input_required", pollFailures: 0 }]);
});

describe("to cancel one", () => {
  test("tells its server once, however often it is said", async () => {
    const { started, cancel, cancelling, ended } = await door();
    const { id } = await started(1);
    expect(await cancel(id)).toMatchObject({ status: 200, body: { id, status: "working" } });
    expect((await cancel(id, LOCAL)).status).toBe(200);
    expect(cancelling()).toEqual(["operator:root"]);
    await ended(id, "cancelled");
    expect(await cancel(id)).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  test("of the local socket bears the name of its user", async () => {
    const { started, cancel, cancelling } = await door();
    await cancel((await started(1)).id, LOCAL);
    expect(cancelling()).toEqual(["cli:1000"]);
  });

  test.each(["completed", "failed"])("comes too late when it has %s", async (status) => {
    const { started, cancel, cancelling, ended } = await door();
    const { id } = await started(1);
    await ended(id, status);
    expect(await cancel(id)).toMatchObject({ status: 409, body: { error: { message: `It has ended already: ${status}.` } } });
    expect(cancelling()).toEqual([]);
  });

  test("that nobody started is unknown", async () => {
    expect((await (await door()).cancel(taskId(9))).status).toBe(404);
  });
});
