/** `bun bench/gates.ts`: what observing and judging a call costs with 200 rules of which the last matches, as CPU beside a policy without rules. */
import { type Catalogue, EMPTY_CATALOGUE, type Offer, OPEN_POLICY } from "../actors/catalogue.ts";
import { decide, evolve } from "../actors/define.ts";
import { DEFAULT_POLICY } from "../actors/policy/defaults.ts";
import { Session } from "../actors/session.ts";
import type { SessionState } from "../actors/session-commands.ts";
import type { Rule } from "../events/policy.ts";
import { SessionOpened } from "../events/session.ts";
import { observe } from "../src/observe/observation.ts";
import { table } from "./report.ts";

const CALLS = 20_000;
const ROUNDS = 7;
const RULES = 200;

const offer: Offer = { name: "bank__send", server: "bank", tool: "send", hash: "h", capability: "mutating" };
const schema = {
  type: "object",
  properties: { to: { type: "string" }, amount: { type: "integer", minimum: 0 }, note: { type: "string" } },
  required: ["to"],
};
const args = { to: "bob", amount: 150, note: "for the coffee" };
const bank = {
  name: "bank",
  id: "b",
  origin: "operator",
  transport: "stdio",
  policy: OPEN_POLICY,
  accepted: new Map(),
  disabled: [],
} as const;

const elsewhere: readonly Rule[] = Array.from({ length: RULES }, (_, n) => ({
  name: `rule-${n}`,
  tool: n === RULES - 1 ? "bank__send" : `server${n}__*`,
  when: "amount > 100 && to.startsWith('b')",
  action: "warn",
  reason: "",
}));
const rules: readonly Rule[] = Array.from({ length: RULES }, (_, n) => ({
  name: `rule-${n}`,
  tool: "bank__send",
  when: n === RULES - 1 ? "amount > 100 && to.startsWith('b')" : `amount > ${1000 + n} || to == 'nobody-${n}'`,
  action: "warn",
  reason: "",
}));

function catalogueWith(of: readonly Rule[]): Catalogue {
  const servers = new Map([["bank", { ...bank, offers: new Map([["send", offer]]) }]]);
  return { ...EMPTY_CATALOGUE, policy: { ...DEFAULT_POLICY, rules: [...of] }, servers, names: new Map([[offer.name, offer]]) };
}

/** CPU microseconds a call: observed, judged, folded; the state stays that of a session with nothing open. */
function microseconds(catalogue: Catalogue, withSchema: boolean): number {
  const opened = SessionOpened({ agent: "ada", name: "bench", client: "bench", era: "rest", profile: "default" });
  const state: SessionState = evolve(Session, Session.initialState, opened);
  const start = process.cpuUsage();
  for (let index = 0; index < CALLS; index++) {
    const observed = observe({
      catalogue,
      offer,
      arguments: args,
      schema: withSchema ? schema : undefined,
      agent: "ada",
      session: () => "bench",
      redact: (text) => text,
      depth: 0,
    });
    const command = { type: "ask", call: `c_${index}`, name: offer.name, digest: "d", timeoutMs: 60_000, payload: args } as const;
    const context = { now: index, self: "session/s_1", catalogue, id: (prefix: string) => prefix };
    const events = decide(Session, state, { ...command, ...(observed && { observed }) }, context);
    if (events.length !== 1) throw new Error("the call was not admitted");
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / CALLS;
}

const KINDS: readonly (readonly [string, readonly Rule[], boolean])[] = [
  ["no rules, no schema", [], false],
  ["the tool's schema", [], true],
  [`the schema and ${RULES} rules, the last of which is about this tool and matches`, elsewhere, true],
  [`the schema and ${RULES} rules with conditions about this tool, the last of which matches`, rules, true],
];
const rounds = Array.from({ length: ROUNDS }, () => KINDS.map(([, of, withSchema]) => microseconds(catalogueWith(of), withSchema))).slice(
  1,
);
const best = KINDS.map((_, kind) => Math.min(...rounds.map((round) => round[kind] ?? Number.NaN)));
const rows = KINDS.map(([name], kind) => [name, (best[kind] ?? 0).toFixed(1), ((best[kind] ?? 0) - (best[0] ?? 0)).toFixed(1)]);
process.stdout.write(`${table([["gates", "µs CPU a call", "added"], ...rows])}\n`);
