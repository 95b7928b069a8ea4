/** Questions and tasks of a server that others wrote; skipped by name where `test/peers` is not installed. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { InBandQuestion, TaskReport } from "../../../src/mcp/downstream/downstream.ts";
import { startHttpPeer } from "../../peers/peers.ts";
import { accept, asking } from "./asking-support.ts";
import { closeAll, http, open, textOf } from "./support.ts";
import { FOLLOWS, start } from "./task-support.ts";

const EVERYTHING = join(import.meta.dir, "../../peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const LIMIT_MS = 60_000;
const named = existsSync(EVERYTHING) ? "server-everything" : "server-everything (test/peers is not installed)";

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  await closeAll();
  await Promise.all(stopping.splice(0).map((stop) => stop()));
});

async function everything(transport: "stdio" | "http" | "sse") {
  if (transport === "stdio") return { kind: "stdio", command: process.execPath, args: [EVERYTHING, "stdio"], env: {} } as const;
  const peer = await startHttpPeer(() => [EVERYTHING, transport === "sse" ? "sse" : "streamableHttp"], import.meta.dir);
  stopping.push(peer.stop);
  return http(`${peer.origin}/${transport === "sse" ? "sse" : "mcp"}`);
}

describe.skipIf(!existsSync(EVERYTHING)).each(["stdio", "http", "sse"] as const)(`${named} over %s`, (transport) => {
  test(
    "asks for a form in the middle of a call",
    async () => {
      const asked: InBandQuestion[] = [];
      const { downstream } = await open(await everything(transport), FOLLOWS, async (question) => {
        asked.push(question);
        return accept({ name: "Ann", check: true });
      });
      expect((await downstream.listTools()).map(({ name }) => name)).toContain("trigger-elicitation-request");
      const text = textOf(await downstream.call(asking("trigger-elicitation-request")));
      expect(asked.map(({ request }) => request.params["message"])).toEqual(["Please provide inputs for the following fields:"]);
      expect(text).toContain("User provided the requested information");
    },
    LIMIT_MS,
  );

  test(
    "researches in the background, and asks what is meant",
    async () => {
      const asked: InBandQuestion[] = [];
      const { downstream } = await open(await everything(transport), FOLLOWS, async (question) => {
        asked.push(question);
        return accept({ interpretation: "snake" });
      });
      const { task, report } = await start(downstream, "simulate-research-query", { topic: "python", ambiguous: true });
      let now: TaskReport = await report();
      while (now.kind === "working") {
        await Bun.sleep(Math.min(now.pollIntervalMs ?? 100, 100));
        now = await report();
      }
      if (now.kind !== "ended") throw new Error(`it did not end: ${JSON.stringify(now)}`);
      expect(textOf(now.outcome)).toContain("python (snake)");
      expect(asked.map(({ taskId }) => taskId)).toEqual([task.taskId]);
      expect(await report()).toMatchObject({ kind: "ended" });
    },
    LIMIT_MS,
  );

  test(
    "stops its research when it is told to",
    async () => {
      const { downstream } = await open(await everything(transport), FOLLOWS, async () => ({ action: "decline" }));
      const { report, cancel } = await start(downstream, "simulate-research-query", { topic: "bees" });
      expect(await cancel()).toMatchObject({ kind: "result" });
      expect(await report()).toEqual({ kind: "cancelled" });
    },
    LIMIT_MS,
  );
});
