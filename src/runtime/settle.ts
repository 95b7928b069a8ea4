/** The pure heart of a turn: one command and everything that follows from it, to rest. */
import { REGISTRY } from "../../actors/address.ts";
import type { Catalogue } from "../../actors/catalogue.ts";
import { decide, evolve, react, type Tell } from "../../actors/define.ts";
import type { Event } from "../../events/define.ts";
import type { ActorTable } from "./actors.ts";
import type { Command, NewEvent } from "./event-log.ts";

const MAX_DEPTH = 16;
const MAX_COMMANDS = 10_000;

/** An effect as an actor asked for it, started after the commit that recorded why. */
export interface Effect {
  readonly type: string;
}

interface Input {
  readonly to: string;
  readonly command: Command;
  readonly now: number;
  readonly id: (prefix: string) => string;
}
export interface Settled {
  readonly events: readonly NewEvent[];
  readonly effects: readonly { readonly effect: Effect; readonly from: string }[];
  readonly states: ReadonlyMap<string, unknown>;
}

/** Throws when an actor throws, is missing or does not come to rest: nothing has happened then. */
export function settle(actors: Pick<ActorTable, "actorAt" | "stateOf">, { to, command, now, id }: Input): Settled {
  const states = new Map<string, unknown>();
  const events: NewEvent[] = [];
  const effects: { effect: Effect; from: string }[] = [];
  const queue: { to: string; command: Command; depth: number }[] = [{ to, command, depth: 0 }];
  const current = (address: string) => (states.has(address) ? states.get(address) : actors.stateOf(address));
  for (let done = 0; done < queue.length; done++) {
    const next = queue[done];
    if (!next) break;
    if (done >= MAX_COMMANDS || next.depth > MAX_DEPTH) throw new Error(`a turn for ${to} (${command.type}) did not come to rest`);
    const self = next.to;
    const actor = actors.actorAt(self);
    if (!Object.hasOwn(actor.decide, next.command.type)) throw new Error(`${self} does not know the command ${next.command.type}`);
    let state = current(self);
    const catalogue = current(REGISTRY) as Catalogue;
    const decided: readonly Event[] = decide(actor, state, next.command, { now, self, id, catalogue });
    for (const event of decided) {
      state = evolve(actor, state, event);
      events.push(addressed(event, self));
      for (const effect of react(actor, event, state, { self, payload: event.payload }) as readonly (Tell | Effect)[]) {
        if (isTell(effect)) queue.push({ to: effect.to, command: effect.command, depth: next.depth + 1 });
        else effects.push({ effect, from: self });
      }
    }
    if (decided.length > 0) states.set(self, state);
  }
  return { events, effects, states };
}

/** Every decision makes its events anew, so they need no copy. */
function addressed(event: Event, stream: string): NewEvent {
  const made = event as { -readonly [K in keyof NewEvent]: NewEvent[K] };
  made.stream = stream;
  return made;
}

const isTell = (effect: Tell | Effect): effect is Tell => effect.type === "tell";
