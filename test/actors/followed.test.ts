/** Calls that a client follows as a task, in the ledger of tasks and in their session. */
import { describe, expect, test } from "bun:test";
import { Session } from "../../actors/session.ts";
import { Tasks } from "../../actors/tasks.ts";
import { CallAnswered, CallRequested, CallUnclaimed } from "../../events/call.ts";
import { CallClaimed } from "../../events/leg.ts";
import { TaskCancelling, TaskOffered, TaskPolled } from "../../events/task.ts";
import { given } from "../given.ts";

const about = { id: "t_1", call: "c_1", session: "s_1", agent: "ada", server: "mail" };
const offer = { ...about, type: "offer", tool: "send", name: "mail__send" } as const;

describe("the ledger", () => {
  const offered = TaskOffered({ ...about, serverId: "", tool: "send", name: "mail__send", createdAt: 1000 });

  test("writes it down, and then its session answers the request", () => {
    given(Tasks)
      .now(1000)
      .when(offer)
      .emits(offered)
      .causes({ type: "tell", to: "session/s_1", command: { type: "offered", call: "c_1", task: "t_1" } });
    given(Tasks, offered).when(offer).emits();
  });

  test("knows by its call that it asks, and that it goes on", () => {
    const polled = (status: "working" | "input_required") => TaskPolled({ ...about, status, failures: 0 });
    given(Tasks, offered)
      .when({ type: "asks", of: { call: "c_1" } }, { type: "goesOn", of: { call: "c_1" } })
      .emits(polled("input_required"), polled("working"));
    given(Tasks, offered)
      .when({ type: "asks", of: { call: "c_2" } })
      .emits();
  });

  test("has its session stop it, wherever the call is", () => {
    given(Tasks, offered)
      .when({ type: "cancel", id: "t_1", by: "client:ada" })
      .emits(TaskCancelling({ ...about, by: "client:ada" }))
      .causes({ type: "tell", to: "session/s_1", command: { type: "cancel", call: "c_1", by: "client:ada" } });
  });
});

describe("its session", () => {
  const requested = CallRequested({
    ...{ call: "c_1", name: "mail__send", server: "mail", tool: "send", capability: "mutating", digest: "d", timeoutMs: 5000 },
    rule: "allow",
  });
  const offered = CallUnclaimed({ call: "c_1", cancel: false, task: "t_1", offered: true });
  const settle = { type: "settle", call: "c_1", certainty: "answered" } as const;
  const ended = { type: "tell", to: "tasks", command: { type: "ended", id: "t_1", status: "completed" } } as const;

  test("ends the task with the call, and announces it", () => {
    const { state } = given(Session, requested, offered)
      .when(settle)
      .emits(CallAnswered({ call: "c_1", certainty: "answered", unclaimed: true, task: "t_1" }))
      .causes({ type: "reply", call: "c_1", certainty: "answered", unclaimed: true, task: "t_1" }, ended);
    expect(state.notices).toEqual(["c_1"]);
  });

  test("ends it also for somebody who waits for the call again: then it is not announced", () => {
    const { state } = given(Session, requested, offered, CallClaimed({ call: "c_1" }))
      .when(settle)
      .emits(CallAnswered({ call: "c_1", certainty: "answered", task: "t_1" }))
      .causes({ type: "reply", call: "c_1", certainty: "answered", task: "t_1" }, ended);
    expect(state.notices).toEqual([]);
  });

  test("has its server stop it though nobody waits", () => {
    given(Session, requested, offered)
      .when({ type: "cancel", call: "c_1", by: "client:ada" })
      .emits(CallUnclaimed({ call: "c_1", cancel: true }))
      .causes({ type: "tell", to: "server/mail", command: { type: "cancel", call: "c_1", by: "client" } });
  });

  test("offers no call that has ended", () => {
    given(Session).when({ type: "offered", call: "c_1", task: "t_1" }).emits();
  });
});
