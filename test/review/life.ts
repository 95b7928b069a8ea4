/** One random life of the kernel: agents that ask, servers that answer as they like, crashes, and everything a checker wants to know of it. */
import type { Capability } from "../../events/call.ts";
import type { CallEnd } from "../../src/calls/open-calls.ts";
import type { ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import type { CallOutcome } from "../../src/mcp/downstream/downstream.ts";
import { type FakeServer, fakeServer, memoryLog, tool } from "../harness.ts";
import { comeToRest, hears, type Log, nextWorld, openSessions, type World } from "./lives.ts";

/** Tool → what it may do. `safe` says of itself that it only reads. */
export const TOOLS: Readonly<Record<string, Capability>> = { act: "mutating", put: "idempotent", look: "read", safe: "mutating" };
export const LIMITS = { slotsPerServer: 2, waitingPerServer: 2, twinMs: 600_000 };
/** Session → agent. */
export const SESSIONS: Readonly<Record<string, string>> = { a0: "ada", a1: "ada", a2: "ada", b0: "bob" };
export const SERVERS = ["mail", "files"] as const;

/** A request as a server got it. */
export interface Sent {
  readonly nonce: number;
  readonly server: string;
  readonly tool: string;
  readonly life: number;
  /** The log held the intent when the request left. */
  readonly intended: boolean;
  /** What was added to what the agent gave. */
  readonly filled: readonly string[];
  readonly answer: (outcome: CallOutcome) => void;
  outcome?: CallOutcome;
}
/** A request as an agent made it. */
export interface Asked {
  readonly nonce: number;
  readonly session: string;
  readonly life: number;
  readonly client: AbortController;
  /** Position of the log when it was made. */
  readonly after: number;
  readonly key?: string;
  end?: CallEnd;
}

/** The server took none of it. */
export const didNothing = ({ outcome }: Sent): boolean =>
  outcome?.kind === "not_sent" || (outcome?.kind === "rpc_error" && (outcome.code === -32601 || outcome.code === -32602));

export interface Life {
  readonly log: Log;
  readonly sent: Sent[];
  readonly asked: Asked[];
  /** Nonce of a request → the call that it became. */
  readonly callOf: Map<number, string>;
  readonly number: number;
  /** Position of the log at the start of each life. */
  readonly begunAt: readonly number[];
  readonly world: World;
  ask(session: string, name: string, args: Record<string, unknown>, key?: string): void;
  reachable(server: string, is: boolean): void;
  crash(server: string): void;
  deny(server: string, tools: readonly string[]): Promise<void>;
  /** Lets everything come to rest. */
  rest(): Promise<void>;
  /** The process dies now: what it has queued is stored, nothing it would do after that happens. */
  restart(): Promise<void>;
}

export async function live(): Promise<Life> {
  const log = memoryLog();
  const sent: Sent[] = [];
  const asked: Asked[] = [];
  const callOf = new Map<number, string>();
  const begunAt = [0];
  let number = 0;
  let digest = 0;
  let latest = 0;
  let alive = { is: true };
  const servers = Object.fromEntries(SERVERS.map((name) => [name, serverOf(name)]));
  const policies = Object.fromEntries(SERVERS.map((name) => [name, { capabilities: TOOLS }]));

  function serverOf(server: string): FakeServer {
    const fake = fakeServer([tool("act"), tool("put"), tool("look"), tool("safe", { readOnlyHint: true })].map(timed));
    return hears(fake, {
      alive: () => alive,
      sent(request, mine) {
        const nonce = Number(request.meta?.["nonce"]);
        const call = callOf.get(nonce) ?? "";
        const legs = sent.filter((earlier) => earlier.nonce === nonce).length;
        const intents = log.eventsOfCall(call).filter(({ type }) => type === "call.dispatched" || type === "call.repeated");
        const intended = intents.length > legs;
        const { promise, resolve } = Promise.withResolvers<CallOutcome>();
        const entry: Sent = {
          nonce,
          server,
          tool: request.tool,
          life: number,
          intended,
          filled: Object.keys(request.arguments).filter((name) => name !== "n"),
          answer(outcome) {
            if (entry.outcome !== undefined) return;
            entry.outcome = outcome;
            if (mine.is) resolve(outcome);
          },
        };
        sent.push(entry);
        return promise;
      },
    });
  }
  const begin = async () => {
    const world = await nextWorld({ servers, policies, limits: LIMITS, log }, latest, (nonce, call) => callOf.set(nonce, call));
    return { world, sessions: await openSessions(world, SESSIONS) };
  };
  let { world, sessions } = await begin();
  const rest = () => comeToRest(world, log);
  await rest();
  return {
    log,
    sent,
    asked,
    callOf,
    begunAt,
    get number() {
      return number;
    },
    get world() {
      return world;
    },
    rest,
    ask(session, name, args, key) {
      const entry: Asked = {
        nonce: asked.length + 1,
        session,
        life: number,
        client: new AbortController(),
        after: log.head.position,
        ...(key !== undefined && { key }),
      };
      asked.push(entry);
      const mine = alive;
      const more = { meta: { nonce: entry.nonce }, signal: entry.client.signal, ...(key !== undefined && { idempotencyKey: key }) };
      void sessions
        .get(session)
        ?.ask(name, args, more)
        .then((end) => {
          if (mine.is) entry.end = end;
        });
    },
    reachable(server, is) {
      const fake = servers[server];
      if (fake) fake.reachable = is;
    },
    crash(server) {
      for (const entry of sent) if (entry.server === server && entry.life === number) entry.answer({ kind: "lost", reason: "it crashed" });
      servers[server]?.crash();
    },
    async deny(server, tools) {
      await world.configure({ [server]: { capabilities: TOOLS, deniedTools: [...tools] } }, `d${(++digest).toString()}-${number}`);
    },
    async restart() {
      alive.is = false;
      await rest();
      latest = world.clock.now();
      alive = { is: true };
      number++;
      begunAt.push(log.head.position);
      ({ world, sessions } = await begin());
      await rest();
    },
  };
}

/** A tool that may be told where and when. */
const timed = (of: ToolDefinition): ToolDefinition => ({
  ...of,
  inputSchema: { type: "object", properties: { n: {}, tz: { type: "string" }, now: { type: "string" } } },
});
