/** Offers a call that lasts to its client as a task: the ledger is written first, then the request is answered, and the call runs on. */
import { BUILTIN, sessionAddress, TASKS } from "../../actors/address.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Question } from "../calls/ask.ts";
import type { CallEnd, OpenCalls } from "../calls/open-calls.ts";
import { offerOf } from "../calls/timeout.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";

export interface OfferPorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue" | "stateOf">;
  readonly clock: Clock;
  readonly openCalls: Pick<OpenCalls, "get" | "park">;
  /** 128 unguessable bits as text. */
  readonly randomId: () => string;
}
/** Waits for the end of a call, or until it has become a task. `wait` says which call it is as soon as it knows. */
export type WhileOffering = (
  question: Pick<Question, "abilities" | "native">,
  wait: (onCall: (call: string) => void) => Promise<CallEnd>,
) => Promise<CallEnd>;

export function createWhileOffering({ runtime, clock, openCalls, randomId }: OfferPorts): WhileOffering {
  const openIn = (call: string) => {
    const open = openCalls.get(call);
    const known = open && (runtime.stateOf(sessionAddress(open.session)) as SessionState).open[call];
    return open && known && open.waiters.size > 0 ? { open, known } : undefined;
  };

  const offer = (call: string) => {
    const { open, known } = openIn(call) ?? {};
    if (!open || !known) return;
    const { session, agent, name } = open;
    if (known.task !== undefined) {
      openCalls.park({ call, certainty: "not_applied", notices: [], parked: { task: known.task } });
      return;
    }
    const { server } = known;
    const tool = runtime.catalogue().names.get(name)?.tool ?? name;
    const about = { id: `t_${randomId()}`, call, session, agent, server, tool, name };
    runtime.enter(TASKS, { type: "offer", ...about }).catch(() => undefined); // recorded as turn.failed
  };

  /** After so long; undefined: never. */
  const delayOf = (call: string): number | undefined => {
    const { open, known } = openIn(call) ?? {};
    if (!open || !known) return undefined;
    const catalogue = runtime.catalogue();
    const mode = offerOf(catalogue, open.name);
    if (mode === "never") return undefined;
    const isMeant = known.server !== BUILTIN || catalogue.offer.perTool[open.name] !== undefined;
    return mode === "always" && isMeant ? 0 : catalogue.offer.afterMs;
  };

  const whileOffered: WhileOffering = async (_, wait) => {
    let isOver = false;
    let disarm: (() => void) | undefined;
    const begin = (call: string) => {
      const ms = isOver ? undefined : delayOf(call);
      if (ms === 0) offer(call);
      else if (ms !== undefined) disarm = clock.after(ms, () => offer(call));
    };
    try {
      return await wait((call) => queueMicrotask(() => begin(call))); // when its turn has been decided
    } finally {
      isOver = true;
      disarm?.();
    }
  };
  return (question, wait) => (question.abilities?.tasks && !question.native ? whileOffered(question, wait) : wait(() => undefined));
}
