/** Counts of how the tools and prompts that calls are about were reached: from committed events. */
import type { Offer } from "../../actors/catalogue.ts";
import type { CallAnswered, CallRefused, CallRequested } from "../../events/call.ts";
import type { EventOf } from "../../events/define.ts";
import type { CallResumed } from "../../events/leg.ts";
import type { NewEvent } from "../runtime/event-log.ts";
import { createCounter } from "./metrics-text.ts";

export interface WayMetrics {
  /** What to do with an event of a type. */
  readonly handlers: Readonly<Record<string, (event: NewEvent) => void>>;
  text(): string;
}
interface Reached {
  readonly server: string;
  readonly kind: "tool" | "prompt";
  readonly via: "name" | "invoke_tool" | "get_prompt" | "answer";
}

/** `offerOf`: the published tool of a name. What nobody offers is not counted, nor a call that was asked for before this process started. */
export function createWayMetrics(offerOf: (name: string) => Offer | undefined): WayMetrics {
  const ended = createCounter(
    "toolcrib_calls_reached_total",
    "Calls of published tools and prompts that ended, by how they were reached last.",
  );
  const open = new Map<string, Reached>();
  const reachedBy = ({ name, via }: Pick<EventOf<typeof CallRequested>["data"], "name" | "via">): Reached | undefined => {
    const offer = offerOf(name);
    return offer && { server: offer.server, kind: offer.kind ?? "tool", via: via ?? "name" };
  };
  return {
    handlers: {
      "call.requested": ({ data }) => {
        const asked = data as EventOf<typeof CallRequested>["data"];
        const reached = reachedBy(asked);
        if (reached) open.set(asked.call, reached);
      },
      // The agent's own answer let it go on; others' answers are no doing of it.
      "call.resumed": ({ data }) => {
        const { call, leg, answers } = data as EventOf<typeof CallResumed>["data"];
        const reached = open.get(call);
        if (reached && leg !== undefined && answers.some(({ by }) => by === "agent")) open.set(call, { ...reached, via: "answer" });
      },
      "call.answered": ({ data }) => {
        const { call, certainty } = data as EventOf<typeof CallAnswered>["data"];
        const reached = open.get(call);
        if (!reached) return;
        open.delete(call);
        ended.add({ ...reached, certainty });
      },
      "call.refused": ({ data }) => {
        const reached = reachedBy(data as EventOf<typeof CallRefused>["data"]);
        if (reached) ended.add({ ...reached, certainty: "not_applied" });
      },
    },
    text: ended.text,
  };
}
