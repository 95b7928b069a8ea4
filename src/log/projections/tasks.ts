/** Calls that go on, or went on, in the background: one row a task, ours and those of servers. */
import type { EventOf } from "../../../events/define.ts";
import type { TaskOffered, TaskPolled, TaskSettled, TaskStarted } from "../../../events/task.ts";
import type { Apply, Projection } from "../projection.ts";

const begun =
  (kind: "server" | "call"): Apply =>
  (tx, event) => {
    const task = event.data as EventOf<typeof TaskOffered>["data"] & Partial<EventOf<typeof TaskStarted>["data"]>;
    tx.run(
      `insert into tasks (id, call, session, agent, server, tool, name, kind, status, created_at, deadline, poll_ms, poll_failures, delivered, position, updated_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, 'working', ?, ?, ?, 0, 0, ?, ?)`,
      task.id,
      task.call,
      task.session,
      task.agent,
      task.server,
      task.tool,
      task.name,
      kind,
      task.createdAt,
      task.deadline ?? null,
      task.pollMs ?? null,
      event.position,
      event.at,
    );
  };

const polled: Apply = (tx, { at, data }) => {
  const { id, status, failures } = data as EventOf<typeof TaskPolled>["data"];
  tx.run("update tasks set status = ?, poll_failures = ?, updated_at = ? where id = ?", status, failures, at, id);
};

const settled: Apply = (tx, { at, data }) => {
  const { id, status, reason } = data as EventOf<typeof TaskSettled>["data"];
  tx.run("update tasks set status = ?, reason = ?, settled_at = ?, updated_at = ? where id = ?", status, reason ?? null, at, at, id);
};

const delivered: Apply = (tx, { data }) => {
  const { id } = data as { id: string };
  tx.run("update tasks set delivered = 1 where id = ?", id);
};

export const tasks: Projection = {
  name: "tasks",
  version: 1,
  tables: `
    create table tasks (
      id text primary key, call text not null, session text not null, agent text not null, server text not null, tool text not null, name text not null,
      kind text not null, status text not null, created_at integer not null, deadline integer, poll_ms integer, poll_failures integer not null,
      delivered integer not null, reason text, settled_at integer, updated_at integer not null, position integer not null
    ) strict, without rowid;
    create index tasks_by_position on tasks (position);
    create index tasks_by_call on tasks (call);
  `,
  drop: ["tasks"],
  on: {
    "task.started": begun("server"),
    "task.offered": begun("call"),
    "task.polled": polled,
    "task.settled": settled,
    "task.delivered": delivered,
  },
};
