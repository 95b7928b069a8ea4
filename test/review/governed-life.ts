/** One random life under a random policy: an agent whose requests may narrow its rules, people who decide, a hook, and restarts over one log. */
import type { Label, Narrowing, Rule } from "../../events/policy.ts";
import { callerOf } from "../../src/doors/caller.ts";
import { fakeServer, memoryLog, text, tool } from "../harness.ts";
import { type Drawn, policyOf, type Step } from "./governed-draws.ts";
import { hears, type Log, nextWorld } from "./lives.ts";

/** A request as the server got it. */
export interface Sent {
  readonly call: string;
  readonly tool: string;
  readonly n: number;
  readonly narrow: Narrowing | undefined;
  isAnswered: boolean;
  readonly answer: () => void;
}
export interface GovernedLife {
  readonly log: Log;
  readonly sent: readonly Sent[];
  readonly votes: number;
  readonly restarts: number;
  readonly failures: readonly unknown[];
  take(step: Step): Promise<void>;
  /** Everything that is still open gets its time and its answer. */
  finish(): Promise<void>;
}

const LABELS: Record<string, Label[]> = { look: ["untrusted", "private"], act: ["external"] };

export async function governedLife(of: Drawn): Promise<GovernedLife> {
  const log = memoryLog();
  const sent: Sent[] = [];
  const failures: unknown[] = [];
  const asked: { readonly narrow: Narrowing | undefined; call?: string }[] = [];
  const policies = { mail: { capabilities: { look: "read" as const, "*": "mutating" as const }, ...(of.labelled && { labels: LABELS }) } };
  const tightened: Rule[] = [];
  let alive = { is: true };
  let latest = 0;
  let votes = 0;
  let restarts = 0;
  let ends: Promise<unknown>[] = [];

  const server = () =>
    hears(fakeServer([tool("act"), tool("look"), tool("burn")]), {
      alive: () => alive,
      sent: (request, mine) =>
        new Promise((answer) => {
          const { narrow, call = "" } = asked[Number(request.meta?.["nonce"])] ?? { narrow: undefined };
          const n = Number(request.arguments["n"]);
          const entry: Sent = {
            ...{ call, tool: request.tool, n, narrow, isAnswered: false },
            answer() {
              entry.isAnswered = true;
              if (mine.is) answer(text("done"));
            },
          };
          sent.push(entry);
        }),
    });

  const begin = async () => {
    const options: Parameters<typeof nextWorld>[0] = {
      servers: { mail: server() },
      policy: policyOf(of, tightened),
      policies,
      log,
      runHook: async (_, input) => {
        const { n } = (input as { arguments: { n: number } }).arguments;
        return n === 0 ? { kind: "blocked", words: "not zero" } : { kind: "output", text: "" };
      },
    };
    const world = await nextWorld(options, latest, (nonce, call) => {
      const entry = asked[nonce];
      if (entry) entry.call = call;
    });
    await world.settle();
    return { world, session: await world.session("s_1") };
  };
  let { world, session } = await begin();

  const ask = (name: string, n: number, narrow: Narrowing | undefined) => {
    const meta = {
      ...(narrow?.profile !== undefined && { "toolcrib/profile": narrow.profile }),
      ...(narrow?.allow && { "toolcrib/allow": narrow.allow }),
    };
    const { caller } = callerOf({ id: "s_1", principal: { agent: "ada", profile: "default" }, client: "test" } as never, meta);
    asked.push({ narrow });
    ends.push(session.ask(name, { n }, { caller, meta: { nonce: asked.length - 1 } }));
  };
  const vote = async (verdict: string) => {
    const pending = world.views.approvals(0).find(({ status }) => status === "pending");
    if (!pending) return;
    votes++;
    const command = { type: "vote", by: "operator:root", channel: "rest", verdict, payload: {} };
    await world.runtime.enter("session/s_1", { ...command, approval: pending.id });
  };
  const tighten = (tool: string, action: "ask" | "deny") => {
    tightened.push({ name: `tight-${tightened.length}`, tool, action, reason: "" });
    return world.configure({}, `d${tightened.length}-${restarts}`, policyOf(of, tightened));
  };
  /** The process dies: what it has queued is stored, nothing it would do after that happens. */
  const restart = async () => {
    alive.is = false;
    await world.settle();
    for (const entry of sent) entry.isAnswered = true;
    failures.push(...world.failures);
    latest = world.clock.now();
    alive = { is: true };
    ends = []; // nobody is there to answer
    restarts++;
    ({ world, session } = await begin());
  };
  const answerAll = () => {
    for (const { answer } of sent) answer();
  };

  return {
    log,
    sent,
    failures,
    get votes() {
      return votes;
    },
    get restarts() {
      return restarts;
    },
    async take(one) {
      if (one.do === "ask") ask(one.name, one.n, one.narrow);
      else if (one.do === "advance") await world.clock.advance(one.ms);
      else if (one.do === "answer") sent.find(({ isAnswered }) => !isAnswered)?.answer();
      else if (one.do === "vote") await vote(one.verdict);
      else if (one.do === "tighten") await tighten(one.tool, one.action);
      else await restart();
      await world.settle();
    },
    async finish() {
      answerAll();
      await world.clock.advance(1_000_000);
      answerAll();
      await world.clock.advance(1_000_000);
      await world.settle();
      await Promise.all(ends);
      failures.push(...world.failures);
    },
  };
}
