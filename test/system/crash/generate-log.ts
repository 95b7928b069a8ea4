/**
 * Writes a log of so many events through the log itself, as the program would, and dies by kill -9 with calls in flight.
 *   bun generate-log.ts FOLDER EVENTS snapshots|none
 */
import { serverAddress, sessionAddress } from "../../../actors/address.ts";
import { type AnyActor, evolve } from "../../../actors/define.ts";
import { Server } from "../../../actors/server.ts";
import { Session } from "../../../actors/session.ts";
import { eventDefinitions } from "../../../events/all.ts";
import { CallAnswered, CallDispatched, CallRequested, CallSettled, type Certainty } from "../../../events/call.ts";
import { SessionOpened } from "../../../events/session.ts";
import { openLog } from "../../../src/log/log.ts";
import { projections } from "../../../src/log/projections/all.ts";
import type { NewEvent } from "../../../src/runtime/event-log.ts";
import { pack } from "../../../src/runtime/pack.ts";

const SESSIONS = 50;
const SNAPSHOT_EVERY = 1000;
const IN_FLIGHT = 24;
/** One call in so many is left in doubt. */
const DOUBT_EVERY = 2000;
const GROUP = 256;
const START = 1_750_000_000_000;
const server = serverAddress("deed");
const text = "x".repeat(200);

const [folder = "", wanted = "", mode] = process.argv.slice(2);
const log = openLog({ path: folder, projections, definitions: eventDefinitions, build: "generated", version: "0", reserveBytes: 0 });
const actors = new Map<string, { readonly actor: AnyActor; state: unknown; version: number }>();
const actorOf = (stream: string) => {
  const known = actors.get(stream);
  if (known) return known;
  const actor: AnyActor = stream === server ? Server : Session;
  const made = { actor, state: actor.initialState as unknown, version: 0 };
  actors.set(stream, made);
  return made;
};

let turn = 0;
let events = 0;
let last = Promise.resolve();
async function append(to: string, command: string, batch: readonly NewEvent[], payload?: unknown): Promise<void> {
  turn++;
  events += batch.length;
  const input = payload === undefined ? { type: command } : { type: command, payload };
  last = log.append({ turn, at: START + turn, to, command: input, events: batch, durability: "normal" });
  if (mode === "snapshots")
    for (const event of batch) {
      const it = actorOf(event.stream);
      it.state = evolve(it.actor, it.state, event);
      if (++it.version % SNAPSHOT_EVERY === 0)
        log.saveSnapshot({ stream: event.stream, version: it.version, shape: it.actor.shape, state: pack(it.state) });
    }
  if (turn % GROUP === 0) await last;
}

const facts = (call: string) => ({ call, tool: "act", capability: "mutating" as const, digest: `d-${call}` });
async function ask(call: string, session: string): Promise<void> {
  const stream = sessionAddress(session);
  const args = { key: call, body: text };
  const requested = CallRequested({ ...facts(call), name: "deed__act", server: "deed", rule: "default", timeoutMs: 60_000 }, args);
  const dispatched = CallDispatched({ ...facts(call), session, agent: "default", deadline: START + turn + 60_000 });
  await append(
    stream,
    "ask",
    [
      { ...requested, stream },
      { ...dispatched, stream: server },
    ],
    args,
  );
}
async function answer(call: string, session: string, certainty: Certainty): Promise<void> {
  const result = { content: [{ type: "text", text }] };
  const since = certainty === "in_doubt" ? { since: START + turn, code: "timeout" as const } : {};
  const settled = CallSettled(
    { call, session, capability: "mutating", certainty, ...since },
    certainty === "answered" ? result : undefined,
  );
  const { since: _, ...code } = since;
  const answered = CallAnswered({ call, certainty, ...code });
  await append(
    server,
    "return",
    [
      { ...settled, stream: server },
      { ...answered, stream: sessionAddress(session) },
    ],
    result,
  );
}

const sessions = Array.from({ length: SESSIONS }, (_, index) => `s_${index.toString(16).padStart(32, "0")}`);
for (const [index, session] of sessions.entries()) {
  const opened = SessionOpened({ agent: "default", name: `desk-${index}`, client: "generator", era: "rest", profile: "default" });
  await append(sessionAddress(session), "open", [{ ...opened, stream: sessionAddress(session) }]);
}
const sessionOf = (call: number) => sessions[call % SESSIONS] ?? "";
let call = 0;
for (; events < Number(wanted) - 2 * IN_FLIGHT; call++) {
  const id = `c_${call.toString(36)}-0`;
  await ask(id, sessionOf(call));
  await answer(id, sessionOf(call), call % DOUBT_EVERY === DOUBT_EVERY - 1 ? "in_doubt" : "answered");
}
for (const end = call + IN_FLIGHT; call < end; call++) await ask(`c_${call.toString(36)}-0`, sessionOf(call));
await last;
process.stdout.write(`${events}\n`, () => process.kill(process.pid, "SIGKILL"));
