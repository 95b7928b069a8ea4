/** How fast the log appends, beside bare prepared inserts of the same rows in the same groups on the same disk: what hashing, payloads, turns and projections cost. */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventDefinitions } from "../events/all.ts";
import { CallAnswered, CallDispatched, CallRequested, CallSettled } from "../events/call.ts";
import type { Durability } from "../events/envelope.ts";
import { openLog } from "../src/log/log.ts";
import { projections } from "../src/log/projections/all.ts";
import type { Batch, NewEvent } from "../src/runtime/event-log.ts";

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 2);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
const SESSIONS = 50;
const text = "x".repeat(300);

/** The two batches of a call. */
function batchesOf(call: number, durability: Durability): [Batch, Batch] {
  const id = `c_${call.toString(36)}-0`;
  const session = `s_${call % SESSIONS}`;
  const stream = `session/${session}`;
  const capability = durability === "full" ? "mutating" : "read";
  const args = { to: "somebody", body: text };
  const result = { content: [{ type: "text", text }] };
  const asked: NewEvent[] = [
    {
      ...CallRequested(
        { call: id, name: "mail__send", server: "mail", tool: "send", capability, digest: "d", rule: "default", timeoutMs: 1 },
        args,
      ),
      stream,
    },
    { ...CallDispatched({ call: id, session, agent: "ann", tool: "send", capability, digest: "d", deadline: 1 }), stream: "server/mail" },
  ];
  const answered: NewEvent[] = [
    { ...CallSettled({ call: id, session, capability, certainty: "answered" }, result), stream: "server/mail" },
    { ...CallAnswered({ call: id, certainty: "answered" }), stream },
  ];
  const at = 1_750_000_000_000 + call;
  return [
    { turn: 2 * call + 1, at, to: stream, command: { type: "ask", payload: args }, events: asked, durability },
    { turn: 2 * call + 2, at, to: "server/mail", command: { type: "return", payload: result }, events: answered, durability },
  ];
}

type Append = (batch: Batch) => Promise<void>;
interface Subject {
  readonly append: Append;
  close(): Promise<void>;
}

const TABLES = [
  "create table events (position integer primary key, stream integer not null, version integer not null, type integer not null, schema integer not null, at integer not null, turn integer not null, call text, data text not null, payload text, hash blob not null, unique (stream, version)) strict",
  'create table turns (turn integer primary key, at integer not null, "to" integer not null, command text not null, build integer not null) strict',
  "create table calls (call text primary key, session text not null, agent text, name text not null, server text, tool text, capability text, digest text, status text not null, at integer not null, ended integer) strict, without rowid",
];

/** Prepared inserts in the same groups: of the events alone, or of the same rows in three tables. No hash, no salt, no digest, no anchor. */
function bare(path: string, everything: boolean): Subject {
  const db = new Database(path, { create: true });
  db.run("pragma journal_mode=wal");
  db.run("pragma synchronous=full");
  for (const table of TABLES) db.run(table);
  const insert = db.prepare(
    "insert into events (stream, version, type, schema, at, turn, call, data, payload, hash) values (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)",
  );
  const turn = db.prepare('insert into turns (turn, at, "to", command, build) values (?, ?, ?, ?, 1)');
  const call = db.prepare(
    "insert into calls (call, session, agent, name, server, tool, capability, digest, status, at) values (?, ?, 'ann', ?, ?, ?, ?, ?, 'in_flight', ?)",
  );
  const end = db.prepare("update calls set status = 'ended', ended = ? where call = ?");
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const versions = new Map<string, [number, number]>();
  const hash = Buffer.alloc(32);
  let full = true;
  let waiting: { batch: Batch; done: () => void }[] = [];
  const flush = () => {
    const group = waiting;
    waiting = [];
    const wanted = group.some(({ batch }) => batch.durability === "full");
    if (wanted !== full) db.run(wanted ? "pragma synchronous=full" : "pragma synchronous=normal");
    full = wanted;
    begin.run();
    for (const { batch } of group) {
      if (everything) turn.run(batch.turn, batch.at, 1, JSON.stringify({ type: batch.command.type }));
      for (const event of batch.events) {
        const stream = versions.get(event.stream) ?? [versions.size + 1, 0];
        stream[1]++;
        versions.set(event.stream, stream);
        const payload = event.payload === undefined ? null : JSON.stringify(event.payload);
        const data = event.data as Record<"call" | "name" | "server" | "tool" | "capability" | "digest", string>;
        insert.run(stream[0], stream[1], 1, batch.at, batch.turn, data.call, JSON.stringify(data), payload, hash);
        if (everything && event.type === "call.requested")
          call.run(data.call, event.stream, data.name, data.server, data.tool, data.capability, data.digest, batch.at);
        if (everything && event.type === "call.answered") end.run(batch.at, data.call);
      }
    }
    commit.run();
    for (const { done } of group) done();
  };
  return {
    append: (batch) =>
      new Promise((done) => {
        if (waiting.push({ batch, done }) === 1) setImmediate(flush);
      }),
    close: async () => db.close(),
  };
}

function ours(path: string): Subject {
  return openLog({ path, projections, definitions: eventDefinitions, build: "bench", version: "0", reserveBytes: 0 });
}

/** Events per second, and CPU microseconds per call. */
async function measure(log: { append: Append }, producers: number, durability: Durability): Promise<{ rate: number; cpu: number }> {
  let call = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + SECONDS * 1000;
  const producer = async () => {
    while (performance.now() < end) {
      const [a, b] = batchesOf(++call, durability);
      await log.append(a);
      await log.append(b);
    }
  };
  await Promise.all(Array.from({ length: producers }, producer));
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (4 * call * 1000) / (performance.now() - start), cpu: (user + system) / call };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const subjects: Record<string, (folder: string) => Subject> = {
  "bare events": (folder) => bare(join(folder, "bare.db"), false),
  "bare rows": (folder) => bare(join(folder, "bare.db"), true),
  log: ours,
};

console.log(
  `producers durability  ${Object.keys(subjects)
    .map((name) => `${name}: ev/s, µs CPU a call`.padEnd(36))
    .join("")}log / bare events, rows`,
);
for (const durability of ["full", "normal"] as const)
  for (const producers of [1, 16, 64]) {
    const results = new Map(Object.keys(subjects).map((name) => [name, [] as { rate: number; cpu: number }[]]));
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, make] of Object.entries(subjects)) {
        const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
        const subject = make(folder);
        results.get(name)?.push(await measure(subject, producers, durability));
        await subject.close();
        rmSync(folder, { recursive: true });
      }
    const rates = [...results.values()].map((all) => median(all.map(({ rate }) => rate)));
    const costs = [...results.values()].map((all) => median(all.map(({ cpu }) => cpu)));
    const [events = 1, rows = 1, log = 0] = rates;
    const cells = rates.map((rate, n) => `${rate.toFixed(0)}, ${costs[n]?.toFixed(0)}`.padEnd(36));
    console.log(
      `${String(producers).padStart(9)} ${durability.padEnd(10)}  ${cells.join("")}${(log / events).toFixed(2)}, ${(log / rows).toFixed(2)}`,
    );
  }
