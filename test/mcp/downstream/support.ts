/** What the downstream tests share: connecting to the fixture, a clock by hand, waiting for a condition. */
import { connect } from "../../../src/mcp/downstream/connect.ts";
import type { Downstream, DownstreamEvents, Target } from "../../../src/mcp/downstream/downstream.ts";
import type { ConnectOptions, Schedule } from "../../../src/mcp/downstream/options.ts";

const SERVERS = `${import.meta.dir}/../../fixtures/servers`;
export const FIXTURE = `${SERVERS}/fixture.ts`;

export interface Observed {
  readonly downstream: Downstream;
  readonly closed: string[];
  readonly warnings: string[];
  /** How often `onToolsChanged` was called. */
  readonly changes: () => number;
  /** Everything it said of prompts and resources: "prompts", "resources", or a URI. */
  readonly heard: string[];
}

const opened: Downstream[] = [];

/** Connects and writes down what the connection says by itself. Closed by `closeAll`. */
export async function open(
  target: Target,
  options: Partial<ConnectOptions> = {},
  onQuestion?: DownstreamEvents["onQuestion"],
): Promise<Observed> {
  const closed: string[] = [];
  const warnings: string[] = [];
  const heard: string[] = [];
  let changes = 0;
  const downstream = await connect(target, {
    clientInfo: { name: "test", version: "1.0.0" },
    events: {
      onClosed: (reason) => closed.push(reason),
      onToolsChanged: () => changes++,
      onPromptsChanged: () => heard.push("prompts"),
      onResourcesChanged: () => heard.push("resources"),
      onResourceUpdated: (uri) => heard.push(uri),
      ...(onQuestion && { onQuestion }),
    },
    connectTimeoutMs: 10_000,
    environment: process.env,
    marker: "test",
    onWarning: (text) => warnings.push(text),
    ...options,
  });
  opened.push(downstream);
  return { downstream, closed, warnings, heard, changes: () => changes };
}

/** The fixture over stdio, in a mode given by its environment. */
export function fixture(env: Record<string, string> = {}): Target {
  return { kind: "stdio", command: process.execPath, args: [FIXTURE], env };
}

/** Another server of the fixtures over stdio, by its file. */
export const program = (file: string, args: readonly string[] = []): Target => ({
  kind: "stdio",
  command: process.execPath,
  args: [`${SERVERS}/${file}`, ...args],
  env: {},
});

export function http(url: string, mode: "auto" | "streamable-http" | "sse" = "auto"): Target {
  return { kind: "http", url, mode, headers: {} };
}

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((downstream) => downstream.close()));
}

/** Polls until it is so; the test's own time limit is the deadline. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5);
}

/** True while the process lives; a zombie that nobody reaps does not count. */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await Bun.file(`/proc/${pid}/stat`).text();
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

export async function untilDead(pid: number): Promise<void> {
  while (await isAlive(pid)) await Bun.sleep(5);
}

export interface ManualClock {
  readonly schedule: Schedule;
  /** What waits, in milliseconds. */
  readonly waiting: () => number[];
  /** Calls back everything that waits now. */
  fire(): void;
}

export function manualClock(): ManualClock {
  const entries = new Map<object, { callback: () => void; ms: number }>();
  return {
    schedule(callback, ms) {
      const key = {};
      entries.set(key, { callback, ms });
      return () => void entries.delete(key);
    },
    waiting: () => [...entries.values()].map(({ ms }) => ms),
    fire() {
      const due = [...entries.values()];
      entries.clear();
      for (const { callback } of due) callback();
    },
  };
}

/** The text of a tool result. */
export function textOf(outcome: { readonly kind: string; readonly result?: Readonly<Record<string, unknown>> }): string {
  const content = outcome.result?.["content"] as { text?: string }[] | undefined;
  return content?.[0]?.text ?? `no text in ${JSON.stringify(outcome)}`;
}
