/** What random lives have in common: processes that follow one another over one log, and a dead one that does and hears nothing any more. */
import type { TimerRow } from "../../src/log/projections/timers.ts";
import type { CallReply, CallRequest, Downstream, DownstreamEvents } from "../../src/mcp/downstream/downstream.ts";
import { type FakeServer, harness, type memoryLog } from "../harness.ts";

export type World = Awaited<ReturnType<typeof harness>>;
export type Log = ReturnType<typeof memoryLog>;
type Options = NonNullable<Parameters<typeof harness>[0]>;
type Sessions = ReadonlyMap<string, Awaited<ReturnType<World["session"]>>>;
/** One of the processes; false once it has died. */
export interface Alive {
  is: boolean;
}

export const pick = <T>(list: readonly T[], which: number): T | undefined => list[which % Math.max(1, list.length)];

/** Everybody who made a request that has no end yet, in the life with this number. */
export const waitingIn = <T extends { readonly life: number; readonly end?: unknown }>(asked: readonly T[], number: number): readonly T[] =>
  asked.filter(({ end, life }) => end === undefined && life === number);

/** The next process over the log, at the time of the last one, with the timers of it. `learn`: a request, by its nonce, has become a call. */
export async function nextWorld(options: Options & { readonly log: Log }, at: number, learn: (nonce: number, call: string) => void) {
  const world = await harness(options);
  for (const timer of options.log.query<TimerRow>("select address, key, at from timers")) world.timers.set(timer);
  await world.clock.advance(Math.max(0, at - world.clock.now()));
  const { add } = world.openCalls;
  world.openCalls.add = (call) => {
    learn(Number(call.meta?.["nonce"]), call.id);
    add(call);
  };
  return world;
}
/** `agents`: session → agent. */
export async function openSessions(world: World, agents: Readonly<Record<string, string>>): Promise<Sessions> {
  const sessions = new Map<string, Awaited<ReturnType<World["session"]>>>();
  for (const [id, agent] of Object.entries(agents)) sessions.set(id, await world.session(id, agent));
  return sessions;
}
/** Lets everything come to rest. */
export async function comeToRest(world: World, log: Log): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 2; ) {
    await world.settle();
    quiet = log.head.position === before ? quiet + 1 : 0;
    before = log.head.position;
  }
}

interface Ear {
  /** Of the process that lives now. */
  readonly alive: () => Alive;
  /** A request, of a process that lived when it left. */
  readonly sent: (request: CallRequest, mine: Alive) => Promise<CallReply>;
  /** What else it has on a connection. */
  readonly connected?: (events: DownstreamEvents, mine: Alive) => Partial<Downstream>;
}
/** What a process that has died would still send does not reach the server. */
export function hears(fake: FakeServer, { alive, sent, connected }: Ear): FakeServer {
  const connect = fake.connect.bind(fake);
  fake.connect = async (events) => {
    const mine = alive();
    const downstream = await connect(events);
    const call = (request: CallRequest) => (mine.is ? sent(request, mine) : new Promise<CallReply>(() => undefined));
    return { ...downstream, ...connected?.(events, mine), call };
  };
  return fake;
}
