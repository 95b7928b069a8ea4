/** Logs for the tests of the log: small batches of real events, in memory or in a folder that is removed afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventDefinitions } from "../../events/all.ts";
import { CallAnswered, CallDispatched, CallRequested, CallSettled, type Capability } from "../../events/call.ts";
import { type Durability, durabilityOf } from "../../events/envelope.ts";
import { SessionOpened } from "../../events/session.ts";
import { type Log, type LogOptions, openLog } from "../../src/log/log.ts";
import { projections } from "../../src/log/projections/all.ts";
import type { Batch, NewEvent } from "../../src/runtime/event-log.ts";

/** A failure of the log is a failure of the test, not the end of its process. */
export function open(path: string, options: Partial<LogOptions> = {}): Log {
  return openLog({
    path,
    projections,
    definitions: eventDefinitions,
    build: "b1",
    version: "0.0.0",
    reserveBytes: 0,
    onFailure: (error) => {
      throw error;
    },
    ...options,
  });
}

export interface Folder {
  readonly path: string;
  [Symbol.dispose](): void;
}

export function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "toolcrib-log-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export const START = 1_750_000_000_000;

/** A batch whose turn and time follow from its number. */
export function batch(turn: number, to: string, events: readonly NewEvent[], payload?: unknown, durability?: Durability): Batch {
  const full = events.some((event) => durabilityOf(event) === "full");
  return {
    turn,
    at: START + turn * 10,
    to,
    command: payload === undefined ? { type: "test" } : { type: "test", payload },
    events,
    durability: durability ?? (full ? "full" : "normal"),
  };
}

export const on = <E extends object>(stream: string, event: E): E & { stream: string } => ({ ...event, stream });

export const opened = (turn: number, session: string, agent = "ann"): Batch =>
  batch(turn, `session/${session}`, [
    on(`session/${session}`, SessionOpened({ agent, name: "desk", client: "test", era: "modern", profile: "default" })),
  ]);

export interface CallOptions {
  readonly capability?: Capability;
  readonly key?: string;
  readonly args?: unknown;
}

/** Commit A of a plain call. */
export function asked(
  turn: number,
  session: string,
  call: string,
  { capability = "read", key, args = { path: "/a" } }: CallOptions = {},
): Batch {
  const requested = CallRequested(
    {
      call,
      name: "mail__send",
      server: "mail",
      tool: "send",
      capability,
      digest: `d-${call}`,
      rule: "default",
      timeoutMs: 1000,
      ...(key !== undefined && { key, keyDigest: "k" }),
    },
    args,
  );
  const dispatched = CallDispatched({
    call,
    session,
    agent: "ann",
    tool: "send",
    capability,
    digest: `d-${call}`,
    deadline: START + turn * 10 + 1000,
  });
  return batch(turn, `session/${session}`, [on(`session/${session}`, requested), on("server/mail", dispatched)], args);
}

/** Commit B of a plain call. */
export function answered(
  turn: number,
  session: string,
  call: string,
  result: unknown = { text: "ok" },
  capability: Capability = "read",
): Batch {
  return batch(
    turn,
    "server/mail",
    [
      on("server/mail", CallSettled({ call, session, capability, certainty: "answered", isError: false }, result)),
      on(`session/${session}`, CallAnswered({ call, certainty: "answered", isError: false })),
    ],
    result,
  );
}
