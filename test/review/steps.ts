/** The steps of a random life, and how each is taken. */
import fc from "fast-check";
import type { CallOutcome } from "../../src/mcp/downstream/downstream.ts";
import { text } from "../harness.ts";
import { LIMITS, type Life, SERVERS, SESSIONS, TOOLS } from "./life.ts";
import { pick, waitingIn } from "./lives.ts";

const OUTCOMES: Readonly<Record<string, CallOutcome>> = {
  result: text("done"),
  "no zone": { kind: "result", result: { content: [{ type: "text", text: "'tz' is required" }], isError: true } },
  "no time": { kind: "rpc_error", code: -32602, message: "'now' is required" },
  "tool error": { kind: "result", result: { content: [], isError: true } },
  "rpc error": { kind: "rpc_error", code: -32000, message: "no" },
  "unknown method": { kind: "rpc_error", code: -32601, message: "no" },
  "invalid params": { kind: "rpc_error", code: -32602, message: "no" },
  "HTTP 404": { kind: "not_sent", reason: "", status: 404 },
  "not sent": { kind: "not_sent", reason: "" },
  lost: { kind: "lost", reason: "reset" },
};

type Step =
  | {
      readonly do: "ask";
      readonly session: string;
      readonly server: string;
      readonly tool: string;
      readonly n: number;
      readonly key?: string | undefined;
    }
  | { readonly do: "status"; readonly session: string }
  | { readonly do: "resolve"; readonly session: string; readonly which: number; readonly outcome: string }
  | { readonly do: "abort"; readonly which: number; readonly reason: string }
  | { readonly do: "answer"; readonly which: number; readonly outcome: string }
  | { readonly do: "crash" | "vanish" | "return"; readonly server: string }
  | { readonly do: "deny"; readonly server: string; readonly tools: readonly string[] }
  | { readonly do: "bequeath"; readonly from: string; readonly to: string }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "restart" }
  | { readonly do: "rest" };

export type { Step };

const session = fc.constantFrom(...Object.keys(SESSIONS));
const server = fc.constantFrom(...SERVERS);
const which = fc.nat(5);
const ask = fc.record({
  do: fc.constant("ask" as const),
  session,
  server,
  tool: fc.constantFrom(...Object.keys(TOOLS)),
  n: fc.nat(1),
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: undefined, freq: 3 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: ask },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("status" as const), session }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("resolve" as const), session, which, outcome: fc.constantFrom("applied", "not_applied") }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("abort" as const), which, reason: fc.constantFrom("cancelled", "disconnected") }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      which,
      outcome: fc.constantFrom(...Object.keys(OUTCOMES), "no zone", "no zone", "no time"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("crash" as const, "vanish" as const, "return" as const), server }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("deny" as const), server, tools: fc.subarray(["act", "put", "look"], { maxLength: 1 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...(
        [
          ["a0", "a1"],
          ["a0", "a2"],
          ["a1", "a2"],
        ] as const
      ).map(([from, to]) => ({ do: "bequeath" as const, from, to })),
    ),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(1_000, 5_000, 55_000, 700_000) }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
  { weight: 6, arbitrary: fc.constant({ do: "rest" as const }) },
);
export const steps = fc.array(step, { minLength: 5, maxLength: 45 });

/** Takes one step. Only `rest`, `advance`, `deny` and `restart` let anything come to rest: what lies between happens in one tick. */
export async function take(life: Life, step: Step): Promise<void> {
  switch (step.do) {
    case "ask":
      return life.ask(step.session, `${step.server}__${step.tool}`, { n: step.n }, step.key);
    case "status":
      return life.ask(step.session, "call_status", {});
    case "resolve": {
      const doubt = pick(life.world.views.doubts(SESSIONS[step.session]), step.which);
      return doubt && life.ask(step.session, "resolve_call", { call: doubt.call, outcome: step.outcome });
    }
    case "abort":
      return pick(waitingIn(life.asked, life.number), step.which)?.client.abort(step.reason);
    case "answer": {
      const open = life.sent.filter(({ outcome, life: of }) => outcome === undefined && of === life.number);
      const outcome = OUTCOMES[step.outcome];
      return outcome && pick(open, step.which)?.answer(outcome);
    }
    case "crash":
      return life.crash(step.server);
    case "vanish":
      life.reachable(step.server, false);
      return life.crash(step.server);
    case "return":
      return life.reachable(step.server, true);
    case "deny":
      return life.deny(step.server, step.tools);
    case "bequeath":
      return life.world.runtime.enter(`session/${step.from}`, { type: "bequeath", to: step.to });
    case "advance":
      await life.world.clock.advance(step.ms);
      return life.rest();
    case "restart":
      return life.restart();
    case "rest":
      return life.rest();
  }
}

/** Everything that is still open gets its time and its answer: afterwards nothing may be open. */
export async function finish(life: Life): Promise<void> {
  for (const server of SERVERS) life.reachable(server, true);
  for (let round = 0; round < LIMITS.waitingPerServer + 2; round++) {
    await life.world.clock.advance(61_000);
    await life.rest();
  }
  for (const { answer, life: of, outcome } of life.sent)
    if (of === life.number && outcome === undefined) answer({ kind: "result", result: { content: [] } });
  await life.rest();
}
