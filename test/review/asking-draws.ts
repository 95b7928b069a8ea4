/** What random lives with questions and tasks are drawn from: rules, what servers ask and report, what agents, people and processes do. */
import fc from "fast-check";
import type { Elicitation } from "../../events/elicitation.ts";
import type { CallReply, InputRequest } from "../../src/mcp/downstream/downstream.ts";
import { text } from "../harness.ts";
import { form } from "../questions/fixture.ts";

/** Session → agent. */
export const SESSIONS: Readonly<Record<string, string>> = { a0: "ada", a1: "ada", b0: "bob" };
/** `lab` has tasks, `desk` only asks, `old` asks on its connection. */
export const SERVERS = ["lab", "desk", "old"] as const;
export const LIMITS = {
  slotsPerServer: 2,
  waitingPerServer: 2,
  maxTimeoutMs: 200_000,
  questions: { perSession: 2, total: 3 },
  tasks: { perSession: 1, total: 2, timeoutMs: 120_000, pollMinMs: 500, pollMaxMs: 5000, pollFailures: 2 },
};
export const TTL_MS = 90_000;

export const FORMS: Readonly<Record<string, InputRequest>> = {
  mailbox: form("Which mailbox?", { mailbox: { type: "string", enum: ["home", "work"] } }, ["mailbox"]),
  name: form("What is it called?", { name: { type: "string" } }, ["name"]),
  covered: form("Which colour?", { color: { type: "string" } }, ["color"]),
  agree: form("Go on?", { agree: { type: "boolean" } }, ["agree"]),
  password: form("Log in", { password: { type: "string" } }, ["password"]),
  bare: form("Sure?", {}),
};
const some = <const T>(...of: T[]) => fc.constantFrom(...of);
const NAMES = Object.keys(FORMS);
const forms = fc.oneof(
  { weight: 3, arbitrary: some("name", "mailbox").map((one) => [one]) },
  { weight: 2, arbitrary: fc.array(some(...NAMES), { minLength: 1, maxLength: 3 }) },
);

export const OUTCOMES: Readonly<Record<string, CallReply>> = {
  result: text("done"),
  "tool error": { kind: "result", result: { content: [], isError: true } },
  "rpc error": { kind: "rpc_error", code: -32000, message: "no" },
  "invalid params": { kind: "rpc_error", code: -32602, message: "no" },
  "not sent": { kind: "not_sent", reason: "" },
  lost: { kind: "lost", reason: "reset" },
};

export const rules = fc.record({
  lab: some<Elicitation["mode"]>("handback", "handback", "handback", "auto"),
  labResponder: some<string | undefined>(undefined, undefined, "operator"),
  desk: some<string | undefined>(undefined, "operator", "client"),
  old: some<string | undefined>(undefined, "operator", "operator", "client"),
  maxPerCall: some(2, 6),
});
export type Drawn = typeof rules extends fc.Arbitrary<infer T> ? T : never;

const session = some(...Object.keys(SESSIONS));
const which = fc.nat(5);
/** How something is answered. */
const how = some("right", "right", "right", "wrong", "decline", "text");
const is = <T extends string>(what: T) => fc.constant(what);
const ask = (...names: string[]) =>
  fc.record({
    do: is("ask"),
    session,
    name: some(...names),
    n: fc.nat(20),
    can: some("nothing", "forms", "tasks", "person"),
    key: fc.option(some("k1", "k2"), { nil: undefined, freq: 2 }),
  });
const ANY = ["lab__act", "lab__look", "desk__act", "desk__look", "old__act", "old__look"];
const asks = fc.record({ do: is("asks"), which, forms, state: fc.boolean() });
const becomesTask = fc.record({ do: is("becomesTask"), which });
const reports = fc.record({
  do: is("reports"),
  which,
  what: some("asks", "asks", "asks", "asks again", "completed", "completed", "error", "unknown", "failed", "cancelled"),
  forms,
});
const answer = fc.record({ do: is("answer"), session, which, how, foreign: some(false, false, false, true) });
const asksInBand = fc.record({ do: is("asksInBand"), forms });
const withdraws = fc.record({ do: is("withdraws"), which });
const operator = fc.record({ do: is("operator"), which, how });
const person = fc.record({ do: is("person"), which, how });
const advance = fc.record({ do: is("advance"), ms: some(600, 1000, 5000, 30_000, 60_000) });
const restart = fc.record({ do: is("restart") });
const rest = fc.record({ do: is("rest") });
const step = fc.oneof(
  { weight: 3, arbitrary: ask(...ANY) },
  { weight: 6, arbitrary: fc.record({ do: is("reply"), which, outcome: some(...Object.keys(OUTCOMES), "result") }) },
  { weight: 4, arbitrary: asks },
  { weight: 2, arbitrary: becomesTask },
  { weight: 6, arbitrary: reports },
  { weight: 3, arbitrary: asksInBand },
  { weight: 1, arbitrary: withdraws },
  { weight: 10, arbitrary: answer },
  { weight: 3, arbitrary: operator },
  { weight: 3, arbitrary: person },
  { weight: 4, arbitrary: fc.record({ do: is("retry"), which, how: some("right", "right", "again", "altered", "decline", "partly") }) },
  { weight: 2, arbitrary: fc.record({ do: is("turn"), session }) },
  { weight: 2, arbitrary: fc.record({ do: is("leave"), which, reason: some("cancelled", "disconnected") }) },
  { weight: 2, arbitrary: fc.record({ do: is("status"), session, which }) },
  { weight: 2, arbitrary: fc.record({ do: is("stopTask"), session, which }) },
  { weight: 1, arbitrary: fc.record({ do: is("resolve"), session, outcome: some("applied", "not_applied") }) },
  { weight: 1, arbitrary: fc.record({ do: some("crash", "vanish", "return"), server: some(...SERVERS) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: is("configure"),
      how: some("as it was", "as it was", "declines", "no tasks", "without lab", "without desk"),
    }),
  },
  { weight: 5, arbitrary: advance },
  { weight: 1, arbitrary: restart },
  { weight: 6, arbitrary: rest },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Drawing = fc.Arbitrary<Step>;
const one = (arbitrary: Drawing): fc.Arbitrary<Step[]> => arbitrary.map((drawn) => [drawn]);
const scene = (...drawings: Drawing[]): fc.Arbitrary<Step[]> => fc.tuple(...drawings);
/** Mostly what leads somewhere. */
const scenes = fc.oneof(
  { weight: 12, arbitrary: one(step) },
  { weight: 3, arbitrary: scene(ask("lab__act", "lab__look", "desk__act"), rest, asks, rest) },
  { weight: 3, arbitrary: scene(ask("lab__act"), rest, asks, rest, answer, rest) },
  { weight: 3, arbitrary: scene(ask("lab__act", "lab__act", "lab__look"), rest, becomesTask, rest, reports, advance) },
  { weight: 2, arbitrary: scene(ask("old__act", "old__look"), rest, asksInBand, rest) },
  {
    weight: 1,
    arbitrary: scene(
      ask("old__act", "old__look"),
      rest,
      asksInBand,
      rest,
      fc.oneof(asksInBand, operator, person, withdraws),
      restart,
      rest,
    ),
  },
);
export const plans = fc.array(scenes, { minLength: 4, maxLength: 22, size: "max" }).map((drawn) => drawn.flat());
