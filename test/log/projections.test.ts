/** Projections: what each one holds, and that folding step by step and folding anew are the same. */
import { expect, test } from "bun:test";
import type { Projection } from "../../src/log/projection.ts";
import { projections } from "../../src/log/projections/all.ts";
import { folder, open, opened, START } from "./fixture.ts";
import { dump, story } from "./projections-fixture.ts";

test("calls: one row each, with its state, outcome, times and the range of its events", async () => {
  const log = open(":memory:");
  await story(log);
  const rows = log.query(
    "select call, agent, status, certainty, code, dispatched_at - requested_at as wait, ended_at - requested_at as took, first_position as f, last_position as l from calls order by f",
  );
  expect(rows).toEqual([
    { call: "plain", agent: "ann", status: "ended", certainty: "answered", code: null, wait: 0, took: 10, f: 10, l: 13 },
    { call: "waits", agent: "ann", status: "ended", certainty: "in_doubt", code: "timeout", wait: 10, took: 20, f: 14, l: 30 },
    { call: "rejected", agent: "ann", status: "ended", certainty: "not_applied", code: "timeout", wait: null, took: 10, f: 16, l: 21 },
    { call: "refused", agent: "ann", status: "ended", certainty: "not_applied", code: "refused", wait: null, took: 0, f: 18, l: 18 },
    { call: "lost", agent: "ann", status: "ended", certainty: "in_doubt", code: "execution_failed", wait: 0, took: 10, f: 25, l: 29 },
    { call: "held", agent: "ann", status: "queued", certainty: null, code: null, wait: null, took: null, f: 31, l: 31 },
    { call: "open", agent: "ann", status: "in_flight", certainty: null, code: null, wait: 0, took: null, f: 33, l: 33 },
  ]);
  expect(log.query("select call, key_digest from calls where agent = 'ann' and key = 'k1'")).toEqual([{ call: "plain", key_digest: "k" }]);
  for (const { call } of log.query<{ call: string }>("select call from calls"))
    expect(log.eventsOfCall(call)).toEqual(log.page({ after: 0, limit: 100, call }));
  await log.close();
});

test("doubts: since when, about what, and how they ended", async () => {
  const log = open(":memory:");
  await story(log);
  const about = { session: "s_1", agent: "ann", server: "mail", tool: "send", capability: "mutating" };
  expect(log.query("select * from doubts order by call")).toEqual([
    { call: "lost", ...about, digest: "d-lost", since: START + 130, code: "execution_failed", resolved_at: null, outcome: null, by: null },
    {
      call: "waits",
      ...about,
      digest: "d",
      since: START + 110,
      code: "timeout",
      resolved_at: START + 140,
      outcome: "applied",
      by: "agent",
    },
  ]);
  await log.close();
});

test("servers, sessions, connections and timers hold what is true now", async () => {
  const log = open(":memory:");
  await story(log);
  expect(log.query("select name, id, state, protocol, reason from servers order by name")).toEqual([
    { name: "bad", id: null, state: "refused", protocol: null, reason: "no command" },
    { name: "mail", id: "r_1", state: "disconnected", protocol: "2025-11-25", reason: "exit 1" },
  ]);
  expect(log.query("select * from sessions")).toEqual([
    {
      id: "s_1",
      agent: "ann",
      name: "desk",
      client: "test",
      era: "modern",
      profile: "default",
      opened_at: START + 10,
      heir: "s_2",
      owed: 0,
    },
  ]);
  expect(log.query("select * from connections order by id")).toEqual([
    { id: "m1", session: "s_1", open: 0, opened_position: 2 },
    { id: "m2", session: "s_1", open: 1, opened_position: 3 },
  ]);
  expect(log.query("select * from timers")).toEqual([{ address: "server/mail", key: "held", at: START + 5000 }]);
  await log.close();
});

test("after a change of version the tables are folded anew and equal those kept step by step", async () => {
  using data = folder();
  const log = open(data.path);
  await story(log);
  const kept = dump(log);
  await log.close();
  let applied = 0;
  const raised = projections.map((projection) => ({
    ...projection,
    version: projection.version + 1,
    on: Object.fromEntries(
      Object.entries(projection.on).map(([type, apply]): [string, Projection["on"][string]] => [
        type,
        (...args) => {
          applied++;
          apply(...args);
        },
      ]),
    ),
  }));
  const again = open(data.path, { projections: raised });
  expect(applied).toBeGreaterThan(20);
  expect(dump(again)).toEqual(kept);
  await again.append(opened(20, "s_9"));
  expect(again.query("select id from sessions where id = 's_9'")).toHaveLength(1);
  await again.close();
  applied = 0;
  const third = open(data.path, { projections: raised });
  expect(applied).toBe(0);
  await third.close();
});

test("a projection that is dropped from the program loses its tables, and is whole when it comes back", async () => {
  using data = folder();
  const log = open(data.path);
  await story(log);
  const kept = dump(log);
  await log.close();
  const without = open(data.path, { projections: projections.filter(({ name }) => name !== "timers") });
  expect(without.query("select name from sqlite_schema where name = 'timers'")).toEqual([]);
  await without.append(opened(20, "s_9"));
  await without.close();
  const back = open(data.path);
  expect(dump(back)["timers"]).toEqual(kept["timers"] ?? []);
  await back.close();
});

test("a projection's rows are in the same transaction as the events: a failed one leaves neither", async () => {
  const failing: Projection = {
    name: "failing",
    version: 1,
    tables: "create table failing (n integer) strict",
    drop: ["failing"],
    on: {
      "session.opened": (tx, { position }) => {
        tx.run("insert into failing (n) values (?)", position);
        if (position === 2) throw new Error("defect");
      },
    },
  };
  const failures: unknown[] = [];
  const log = open(":memory:", { projections: [failing], onFailure: (error) => void failures.push(error) });
  await log.append(opened(1, "s_1"));
  void log.append(opened(2, "s_2"));
  expect([...log.read("session/s_2")]).toEqual([]);
  expect(failures).toEqual([new Error("defect")]);
  expect(log.query("select n from failing")).toEqual([{ n: 1 }]);
  await log.close();
});

test("two projections of one name are a defect of the program", () => {
  const [one] = projections;
  expect(() => open(":memory:", { projections: one === undefined ? [] : [one, one] })).toThrow("same name");
});
