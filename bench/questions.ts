/**
 * `bun run bench:questions [--seconds N]`: 1,000 questions that agents were given and 200 tasks that run, over HTTP, behind the binary: CPU while
 * nobody calls, memory beside the same daemon without them, and the time to ready after kill -9. The caps of all sessions are raised by the configuration.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { makeClient, type ToolResult } from "./peers/client.ts";
import { freePort, start, usage } from "./processes.ts";
import { table } from "./report.ts";
import { BINARY, REPOSITORY } from "./systems.ts";

const QUESTIONS = 1000;
const TASKS = 200;
/** Five questions and one task each, as the caps of a session have it by default. */
const SESSIONS = 200;
/** As the server of the tasks wishes. */
const POLL_MS = 15_000;
const asked = process.argv.indexOf("--seconds");
const SECONDS = asked < 0 ? 20 : Number(process.argv[asked + 1]);
const TOKEN = "an operator of the bench";
const AS_OPERATOR = { headers: { authorization: `Bearer ${Buffer.from(TOKEN).toString("hex")}`, "content-type": "application/json" } };
const FIXTURES = join(REPOSITORY, "test", "fixtures", "servers");

/** A fixture as a process of its own; it says where it listens. */
async function fixture(file: string, ...more: readonly string[]) {
  const child = Bun.spawn(["bun", join(FIXTURES, file), "--port", "0", ...more], { stdout: "pipe" });
  const said = new TextDecoder().decode((await child.stdout.getReader().read()).value);
  return { url: said.trim().replace("listening ", ""), end: () => child.kill() };
}

async function until<T>(what: string, attempt: () => Promise<T | undefined>, ms = 60_000): Promise<T> {
  for (const end = performance.now() + ms; performance.now() < end; await Bun.sleep(5)) {
    const value = await attempt().catch(() => undefined);
    if (value !== undefined) return value;
  }
  throw new Error(`${what} did not happen within ${ms} ms`);
}

async function daemon(folder: string, config: string) {
  const port = await freePort();
  const argv = [BINARY, "serve", "--config", config, "--data", join(folder, "data"), "--listen", `127.0.0.1:${port}`];
  const began = performance.now();
  const running = start(argv, { cwd: folder, logFile: join(folder, "output.log") });
  const url = `http://127.0.0.1:${port}`;
  await until("readiness", async () => {
    if (running.hasEnded()) return false;
    return (await fetch(`${url}/readyz`)).status === 200 ? true : undefined;
  });
  if (running.hasEnded()) throw new Error(running.output());
  const readyMs = performance.now() - began;
  const open = async (list: "questions" | "tasks", status: string) => {
    const reply = await fetch(`${url}/v1/${list}?status=${status}`, AS_OPERATOR);
    const rows = ((await reply.json()) as Record<string, readonly { readonly id: string }[]>)[list];
    if (!rows) throw new Error(`/v1/${list} answered with ${reply.status}`);
    return rows;
  };
  /** Answers one of them, to see that its call goes on. */
  const answer = async () => {
    const [question] = await open("questions", "open");
    const reply = await fetch(`${url}/v1/questions/${question?.id}`, {
      ...AS_OPERATOR,
      method: "POST",
      body: '{"answers":{"mailbox":"work"}}',
    });
    if (!reply.ok) throw new Error(`an answer after the restart: ${reply.status} ${await reply.text()}`);
  };
  const connected = () =>
    until("two connected servers", async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/toolcrib_connections\{state="connected"\} (\d+)/.exec(text)?.[1]) >= 2 ? true : undefined;
    });
  return { ...running, url, readyMs, open, answer, connected };
}
type Daemon = Awaited<ReturnType<typeof daemon>>;

/** CPU of one core in percent, and memory at the end, while nobody calls. */
async function idle({ pid }: Daemon): Promise<{ readonly percent: number; readonly rssMiB: number }> {
  await Bun.sleep(3000); // what the calls before have left to do
  const before = usage(pid);
  const began = performance.now();
  await Bun.sleep(SECONDS * 1000);
  const after = usage(pid);
  return { percent: ((after.cpuMs - before.cpuMs) / (performance.now() - began)) * 100, rssMiB: after.rssMiB };
}

/** So many calls of each kind, spread over the sessions. */
async function call({ url }: Daemon, questions: (n: number) => readonly [string, object], tasks: (n: number) => readonly [string, object]) {
  const clients = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const client = makeClient({ type: "http", url: `${url}/mcp` });
      await client.initialize();
      return client;
    }),
  );
  await Promise.all(
    clients.map(async (client, at) => {
      const made: (readonly [string, object])[] = [
        ...Array.from({ length: QUESTIONS / SESSIONS }, (_, n) => questions(at * 10_000 + n)),
        ...Array.from({ length: TASKS / SESSIONS }, (_, n) => tasks(at * 10_000 + n)),
      ];
      for (const [name, args] of made) {
        const result: ToolResult = await client.callTool(name, args as Record<string, unknown>);
        if (result.isError) throw new Error(JSON.stringify(result).slice(0, 900));
      }
    }),
  );
  for (const client of clients) client.close();
}

const results = join(REPOSITORY, "bench", "results");
mkdirSync(results, { recursive: true });
const folder = mkdtempSync(join(results, "questions-"));
const servers = [await fixture("asking-server.ts"), await fixture("task-server.ts")] as const;
const config = join(folder, "toolcrib.jsonc");
writeFileSync(
  config,
  JSON.stringify({
    bridge: {
      maxPendingQuestions: QUESTIONS,
      maxTasks: TASKS,
    },
    operators: [
      {
        name: "bench",
        roles: ["view", "decide"],
        tokenHash: `sha256:${createHash("sha256").update(Buffer.from(TOKEN).toString("hex")).digest("hex")}`,
      },
    ],
    mcpServers: { asking: { url: servers[0].url, elicitation: { mode: "handback" } }, lab: { url: servers[1].url, tasks: true } },
  }),
);
/** The daemon that takes its place after kill -9. */
async function killed(before: Daemon): Promise<Daemon> {
  process.kill(before.pid, "SIGKILL");
  await until("its end", async () => (before.hasEnded() ? true : undefined));
  const after = await daemon(folder, config);
  await after.connected();
  return after;
}

try {
  const plain = await daemon(folder, config);
  await plain.connected();
  const fresh = await idle(plain);
  await call(
    plain,
    (n) => ["asking__plain", { value: n }],
    (n) => ["lab__release", { key: `k${n}` }],
  );
  const without = await idle(plain);
  const bare = await killed(plain);
  const restarted = await idle(bare);
  await bare.stop();
  rmSync(join(folder, "data"), { recursive: true, force: true });

  const full = await daemon(folder, config);
  await full.connected();
  await call(
    full,
    (n) => ["asking__send_mail", { to: `person-${n}` }],
    (n) => ["lab__endless", { n, pollIntervalMs: POLL_MS }],
  );
  const counts = async (of: Daemon) => `${(await of.open("questions", "open")).length} / ${(await of.open("tasks", "working")).length}`;
  const loaded = await idle(full);
  const made = await counts(full);
  const again = await killed(full);
  const resumed = await idle(again);
  const found = await counts(again);
  await again.answer();
  await again.stop();

  const row = (name: string, { percent, rssMiB }: typeof fresh) => [name, percent.toFixed(2), rssMiB.toFixed(1)];
  const rows = [
    row("after the start", fresh),
    row(`after ${QUESTIONS + TASKS} calls that only return`, without),
    row("the same after kill -9 and a restart", restarted),
    row(`with ${made} open questions / running tasks`, loaded),
    row(`the same after kill -9 and a restart (${found})`, resumed),
  ];
  console.log(table([["daemon", "idle CPU, % of a core", "RSS MiB"], ...rows]));
  const [running, started] = [loaded.rssMiB - without.rssMiB, resumed.rssMiB - restarted.rssMiB];
  console.log(`growth of memory: ${running.toFixed(1)} MiB after as many calls, ${started.toFixed(1)} MiB after a restart`);
  console.log(`ready after kill -9: ${again.readyMs.toFixed(0)} ms, without them ${bare.readyMs.toFixed(0)} ms`);
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
} finally {
  for (const { end } of servers) end();
  rmSync(folder, { recursive: true, force: true });
}
