/** The recorded calls decided again under changed rules, in one pass in global order: what would be allowed, refused, asked about. */
import { kindOf, nameOf, REGISTRY } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import { evolve } from "../../actors/define.ts";
import { Registry } from "../../actors/registry.ts";
import { Session } from "../../actors/session.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { EventOf } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import { BlobReference } from "../../events/payload.ts";
import type { Policy, Verdict } from "../../events/policy.ts";
import type { SessionOpened } from "../../events/session.ts";
import type { ConfigChange } from "../config/policy-file.ts";
import type { Reader } from "../log/reader.ts";
import { isAdmission, type Outcome } from "./outcome.ts";
import type { Arguments } from "./recorded-facts.ts";
import { hookVerdictsIn, isUnchanged, withHooks, wordsOf } from "./recorded-hooks.ts";
import { type AskedCall, type Asking, judgeAgain, type Rejudged, UNKNOWN } from "./rejudge.ts";
import { commandOf, recordedTurns, type TurnRow } from "./turns.ts";
import { relabelled, underChange } from "./under-change.ts";

export interface Changed {
  readonly callId: string;
  /** Its name; its id where it has none. */
  readonly session: string;
  /** As published. */
  readonly tool: string;
  readonly was: Outcome;
  readonly now: Outcome;
  /** That decides now. */
  readonly rule: string;
}
export interface Simulation {
  /** Recorded calls. */
  readonly calls: number;
  /** In the order of the log. */
  readonly changed: readonly Changed[];
  /** `unknown`: it would depend on what is concealed or erased, or on a hook that would have to be run. */
  readonly counts: {
    readonly unchanged: number;
    readonly changed: number;
    readonly unknown: number;
    readonly was: Readonly<Record<Outcome, number>>;
    readonly now: Readonly<Record<Outcome, number>>;
  };
}
interface Judged extends Rejudged {
  readonly callId: string;
  readonly session: string;
  readonly tool: string;
  /** What it was judged by. */
  readonly policy: Policy;
}

/** `change` is put over every configuration that was in force. Nothing is written, sent or run. */
export function simulate(reader: Reader, change: ConfigChange): Simulation {
  let before: Catalogue = Registry.initialState;
  let after: Catalogue = Registry.initialState;
  const sessions = new Map<string, SessionState>();
  const names = new Map<string, string>();
  const words = new Map<string, readonly Verdict[]>();
  const judged: Judged[] = [];
  const payloadOf = ({ position, payload }: Envelope) => (BlobReference.safeParse(payload).success ? reader.payload(position) : payload);
  const schemaOf = schemasOf(reader);
  for (const { row, events } of recordedTurns(reader)) {
    const asked = askedIn(row, events, payloadOf, schemaOf);
    if (asked) {
      const state = sessions.get(row.to) ?? Session.initialState;
      const { call, name } = asked.command;
      judged.push({
        callId: call,
        session: names.get(row.to) ?? nameOf(row.to),
        tool: name,
        policy: before.policy,
        ...judgeAgain(asked, { state, before, after }),
      });
    }
    for (const event of events) {
      if (event.stream === REGISTRY) {
        before = evolve(Registry, before, event as never);
        after = evolve(Registry, after, underChange(event, change, payloadOf) as never);
      } else if (kindOf(event.stream) === Session.kind) {
        const state = sessions.get(event.stream) ?? Session.initialState;
        sessions.set(event.stream, evolve(Session, state, relabelled(event, after) as never));
        if (event.type === "session.opened") names.set(event.stream, (event.data as EventOf<typeof SessionOpened>["data"]).name);
        const said = hookVerdictsIn(event);
        if (said.length > 0 && event.call !== undefined) words.set(event.call, [...(words.get(event.call) ?? []), ...said]);
      }
    }
  }
  return summed(judged.map((one) => ({ ...one, ...afterHooks(one, words.get(one.callId) ?? []) })));
}

/** The call that this turn is about, if it is about one. */
function askedIn(row: TurnRow, events: readonly Envelope[], payloadOf: (event: Envelope) => unknown, schemaOf: AskedCall["schemaOf"]) {
  if (kindOf(row.to) !== Session.kind || !row.command.includes('"type":"ask"')) return undefined;
  const command = commandOf(row, events) as { readonly type: string } as Asking;
  const admission = events.find((event) => event.stream === row.to && event.call === command.call && isAdmission(event));
  if (command.type !== "ask" || !admission || !isAdmission(admission)) return undefined;
  return { command, admission, payload: () => payloadOf(admission), schemaOf };
}

/** Hooks speak in a later turn than the one that asked, when the pass is beyond it. */
function afterHooks({ was, now, hooks, wereAsked, policy }: Judged, words: readonly Verdict[]): Pick<Rejudged, "was" | "now"> {
  const then = withHooks(was, words);
  if (now === UNKNOWN || now.outcome === "refused") return { was: then, now };
  if (hooks.some((hook) => !wereAsked || !isUnchanged(hook, policy))) return { was: then, now: UNKNOWN };
  return {
    was: then,
    now: withHooks(
      now,
      hooks.flatMap((hook) => wordsOf(hook, words)),
    ),
  };
}

/** Input schemas as servers declared them. */
function schemasOf(reader: Reader): (hash: string) => Arguments | undefined {
  const read = new Map<string, Arguments | undefined>();
  return (hash) => {
    if (!read.has(hash)) {
      const { inputSchema } = JSON.parse(reader.definition(hash) ?? "{}") as { inputSchema?: Arguments };
      read.set(hash, inputSchema);
    }
    return read.get(hash);
  };
}

function summed(judged: readonly Judged[]): Simulation {
  const changed: Changed[] = [];
  const was = { allowed: 0, refused: 0, asked: 0 };
  const now = { allowed: 0, refused: 0, asked: 0 };
  let unknown = 0;
  for (const one of judged) {
    was[one.was.outcome]++;
    if (one.now === UNKNOWN) unknown++;
    else {
      now[one.now.outcome]++;
      const { callId, session, tool } = one;
      if (one.now.outcome !== one.was.outcome)
        changed.push({ callId, session, tool, was: one.was.outcome, now: one.now.outcome, rule: one.now.rule });
    }
  }
  const calls = judged.length;
  return { calls, changed, counts: { unchanged: calls - changed.length - unknown, changed: changed.length, unknown, was, now } };
}
