/** One random life with questions and tasks, over one log and one sealed store, whatever dies in between. */
import { answerOf, toToolResult } from "../../src/calls/answer.ts";
import type { Question } from "../../src/calls/ask.ts";
import type { CallEnd, ToolResult } from "../../src/calls/open-calls.ts";
import type { Elicit, ElicitAnswer } from "../../src/mcp/upstream/elicit.ts";
import type { Given } from "../../src/questions/read-given.ts";
import { openSealedStore, type SealedStore } from "../../src/secrets/sealed.ts";
import { memoryLog } from "../harness.ts";
import { type Drawn, LIMITS, SERVERS, SESSIONS } from "./asking-draws.ts";
import { type Configuration, configurationOf } from "./asking-rules.ts";
import { type AskingServer, askingServer, type InBand, type Leg, type RemoteTask } from "./asking-server.ts";
import { comeToRest, type Log, nextWorld, openSessions, type World } from "./lives.ts";

/** A request as an agent or its client made it. */
export interface Asked {
  readonly nonce: number;
  readonly session: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly life: number;
  readonly client: AbortController;
  end?: CallEnd;
  /** As MCP tells it. */
  told?: ToolResult;
}
/** A form that a person in front of a client sees. */
export interface Shown {
  readonly life: number;
  answer?: ElicitAnswer;
  readonly give: (answer: ElicitAnswer | undefined) => void;
}
export interface Life {
  readonly log: Log;
  readonly sealed: SealedStore;
  readonly legs: Leg[];
  readonly tasks: RemoteTask[];
  readonly inBand: InBand[];
  readonly asked: Asked[];
  readonly shown: Shown[];
  readonly withdrawals: { readonly life: number; readonly withdraw: () => void }[];
  readonly servers: Readonly<Record<string, AskingServer>>;
  /** Nonce of a request → the call that it became. */
  readonly callOf: Map<number, string>;
  readonly failures: unknown[];
  /** Values that somebody answered. */
  readonly canaries: string[];
  readonly number: number;
  /** What was committed up to here may have been told to nobody, since its process died. */
  readonly diedAt: readonly (readonly [number, number])[];
  readonly world: World;
  ask(session: string, name: string, args: Record<string, unknown>, more?: Partial<Question>): void;
  operator(question: string, given: Given): void;
  reachable(server: string, is: boolean): void;
  /** Its connection ends: what was sent has no answer. */
  crash(server: string): void;
  /** Answers with what a person says in the end. */
  readonly elicit: Elicit;
  configure(how: Configuration): Promise<void>;
  rest(): Promise<void>;
  /** The process dies now: what it has queued is stored, nothing it would do after that happens. */
  restart(): Promise<void>;
}

export async function askingLife(of: Drawn): Promise<Life> {
  const log = memoryLog();
  const sealed = openSealedStore(":memory:", new Uint8Array(32).fill(3), () => 0);
  const legs: Leg[] = [];
  const tasks: RemoteTask[] = [];
  const inBand: InBand[] = [];
  const asked: Asked[] = [];
  const shown: Shown[] = [];
  const callOf = new Map<number, string>();
  const failures: unknown[] = [];
  const diedAt: (readonly [number, number])[] = [];
  let restedAt = 0;
  let number = 0;
  let digest = 0;
  let latest = 0;
  let alive = { is: true };
  const intents = (nonce: number) =>
    log.eventsOfCall(callOf.get(nonce) ?? "").filter(({ type, data }) => {
      return type === "call.dispatched" || type === "call.repeated" || (type === "call.resumed" && "leg" in (data as object));
    }).length;
  const place = { legs, tasks, inBand, life: () => number, isAlive: () => alive, intents };
  const servers = Object.fromEntries(SERVERS.map((name) => [name, askingServer(name, name === "old" ? "legacy" : "modern", place)]));
  const fakes = Object.fromEntries(Object.entries(servers).map(([name, { fake }]) => [name, fake]));

  const begin = async () => {
    const { policies } = configurationOf(of, "as it was");
    const options = { servers: fakes, policies, limits: LIMITS, log, sealed };
    const world = await nextWorld(options, latest, (nonce, call) => callOf.set(nonce, call));
    return { world, sessions: await openSessions(world, SESSIONS) };
  };
  let { world, sessions } = await begin();
  const rest = async () => {
    await comeToRest(world, log);
    restedAt = log.head.position;
  };
  await rest();
  return {
    ...{ log, sealed, legs, tasks, inBand, asked, shown, servers, callOf, failures, diedAt, rest },
    canaries: [],
    withdrawals: [],
    operator(id, given) {
      void world.questions.answer({ id, given, by: "operator:root" });
    },
    reachable(server, is) {
      const fake = fakes[server];
      if (fake) fake.reachable = is;
    },
    crash(server) {
      for (const leg of legs) if (leg.server === server && leg.life === number) leg.answer({ kind: "lost", reason: "it crashed" });
      fakes[server]?.crash();
    },
    get number() {
      return number;
    },
    get world() {
      return world;
    },
    elicit: ({ signal }) =>
      new Promise((resolve) => {
        const entry: Shown = {
          life: number,
          give(answer) {
            if (answer) entry.answer = answer;
            resolve(answer);
          },
        };
        shown.push(entry);
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      }),
    ask(session, name, args, more = {}) {
      const entry: Asked = { nonce: asked.length + 1, session, name, args, life: number, client: new AbortController() };
      asked.push(entry);
      const mine = alive;
      const { views } = world;
      const asking = sessions.get(session)?.ask(name, args, { meta: { nonce: entry.nonce }, signal: entry.client.signal, ...more });
      void asking?.then((end) => {
        if (!mine.is) return;
        entry.end = end;
        entry.told = toToolResult(answerOf(end, name, views));
      });
    },
    async configure(how) {
      const { policies, names } = configurationOf(of, how);
      await world.configure(policies, `d${++digest}-${number}`, {}, names);
      void world.reconnect();
      await rest();
    },
    rest,
    async restart() {
      alive.is = false;
      const from = restedAt;
      await rest();
      diedAt.push([from, log.head.position]);
      failures.push(...world.failures);
      latest = world.clock.now();
      alive = { is: true };
      number++;
      ({ world, sessions } = await begin());
      await rest();
    },
  };
}
