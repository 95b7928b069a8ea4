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

function bare(path: string): { append: Append; close(): Promise<void> } {
  const db = new Database(path, { create: true });
  db.run("pragma journal_mode=wal");
  db.run("pragma synchronous=full");
  db.run(
    "create table events (position integer primary key, stream integer not null, version integer not null, type integer not null, at integer not null, turn integer not null, call text, data text not null, payload text, hash blob not null, unique (stream, version)) strict",
  );
  const insert = db.prepare(
    "insert into events (stream, version, type, at, turn, call, data, payload, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
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
    for (const { batch } of group)
      for (const event of batch.events) {
        const stream = versions.get(event.stream) ?? [versions.size + 1, 0];
        stream[1]++;
        versions.set(event.stream, stream);
        const payload = event.payload === undefined ? null : JSON.stringify(event.payload);
        const { call } = event.data as { call: string };
        insert.run(stream[0], stream[1], 1, batch.at, batch.turn, call, JSON.stringify(event.data), payload, hash);
      }
    commit.run();
    for (const { done } of group) done();
  };
  return {
    append: (batch) =>
      new Promise((done) => {
        if (waiting.push({ batch, done }) === 1) setImmediate(flush);
      }),
    close: async () => db.close(true),
  };
}

function ours(path: string) {
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

console.log("producers durability      bare ev/s   log ev/s   ratio   bare µs/call   log µs/call");
for (const durability of ["full", "normal"] as const)
  for (const producers of [1, 16, 64]) {
    const results: Record<"bare" | "ours", { rate: number; cpu: number }[]> = { bare: [], ours: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const kind of ["bare", "ours"] as const) {
        const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
        const log = kind === "bare" ? bare(join(folder, "bare.db")) : ours(folder);
        results[kind].push(await measure(log, producers, durability));
        await log.close();
        rmSync(folder, { recursive: true });
      }
    const rate = (kind: "bare" | "ours") => median(results[kind].map((one) => one.rate));
    const cpu = (kind: "bare" | "ours") => median(results[kind].map((one) => one.cpu));
    console.log(
      `${String(producers).padStart(9)} ${durability.padEnd(10)} ${rate("bare").toFixed(0).padStart(12)} ${rate("ours").toFixed(0).padStart(10)} ${(rate("ours") / rate("bare")).toFixed(2).padStart(7)} ${cpu("bare").toFixed(0).padStart(14)} ${cpu("ours").toFixed(0).padStart(13)}`,
    );
  }
