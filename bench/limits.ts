/** `bun bench/limits.ts`: what the limits of a profile add to the decisions of a session, for each call, beside a profile without any. */
import { type Catalogue, EMPTY_CATALOGUE, type Offer, OPEN_POLICY } from "../actors/catalogue.ts";
import { decide, evolve } from "../actors/define.ts";
import { CAREFUL_CALL_LIMITS, DEFAULT_CALL_LIMITS, DEFAULT_POLICY, DEFAULT_PROFILE } from "../actors/policy/defaults.ts";
import { Session } from "../actors/session.ts";
import type { SessionCommand, SessionState } from "../actors/session-commands.ts";
import type { CallLimits } from "../events/policy.ts";
import { SessionOpened } from "../events/session.ts";
import { table } from "./report.ts";

const CALLS = 20_000;
const ROUNDS = 5;
const EVERY_MS = 30_000;

const offer: Offer = { name: "mail__list", server: "mail", tool: "list", hash: "h", capability: "read" };
const mail = {
  name: "mail",
  id: "m",
  origin: "operator",
  transport: "stdio",
  policy: OPEN_POLICY,
  accepted: new Map(),
  disabled: [],
} as const;

function catalogueWith(limits: CallLimits): Catalogue {
  const profiles = { ...DEFAULT_POLICY.profiles, default: { ...DEFAULT_PROFILE, limits } };
  const servers = new Map([["mail", { ...mail, offers: new Map([["list", offer]]) }]]);
  return { ...EMPTY_CATALOGUE, policy: { ...DEFAULT_POLICY, profiles }, servers, names: new Map([[offer.name, offer]]) };
}

/** Microseconds a call: asked, admitted, answered. */
function microseconds(catalogue: Catalogue): number {
  let state: SessionState = evolve(
    Session,
    Session.initialState,
    SessionOpened({ agent: "ada", name: "bench", client: "bench", era: "rest", profile: "default" }),
  );
  const step = (now: number, command: SessionCommand) => {
    const events = decide(Session, state, command, { now, self: "session/s_1", catalogue, id: (prefix) => prefix });
    for (const event of events) state = evolve(Session, state, event);
  };
  const start = performance.now();
  for (let index = 0; index < CALLS; index++) {
    const [now, call] = [index * EVERY_MS, `c_${index}`];
    step(now, { type: "ask", call, name: offer.name, digest: `d${index % 50}`, timeoutMs: 60_000, payload: {} });
    step(now, { type: "settle", call, certainty: "answered", resultDigest: `r${index}` });
  }
  return ((performance.now() - start) * 1000) / CALLS;
}

const KINDS: readonly (readonly [string, CallLimits])[] = [
  ["none (`default`)", DEFAULT_CALL_LIMITS],
  ["150 calls an hour", { ...DEFAULT_CALL_LIMITS, callsPerHour: 150 }],
  ["spin 3 and 6", { ...DEFAULT_CALL_LIMITS, spin: CAREFUL_CALL_LIMITS.spin }],
  ["an order", { ...DEFAULT_CALL_LIMITS, parallelReads: 4, orderedWrites: true }],
  ["all of them (`supervised`)", CAREFUL_CALL_LIMITS],
];
// In turn, the first round for warmth: others have the machine, too.
const rounds = Array.from({ length: ROUNDS }, () => KINDS.map(([, limits]) => microseconds(catalogueWith(limits)))).slice(1);
const rows = KINDS.map(([name], kind) => [name, Math.min(...rounds.map((round) => round[kind] ?? 0)).toFixed(1)]);
process.stdout.write(`${table([["limits of the profile", "µs a call"], ...rows])}\n`);
