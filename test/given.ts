/** given(actor, …past).with(catalogue).when(command).emits(…events).causes(…effects): how the decisions of an actor are specified. */
import { expect } from "bun:test";
import { type Catalogue, EMPTY_CATALOGUE } from "../actors/catalogue.ts";
import { type Actor, decide, evolve, react } from "../actors/define.ts";
import { eventDefinitions } from "../events/all.ts";
import { decode } from "../events/define.ts";

export const NOW = 1_000_000;

interface Where {
  readonly self?: string;
  readonly catalogue?: Catalogue;
  readonly now?: number;
}

/** What an actor decides must be what the log accepts, the hot events too. */
function validate(event: { type: string; data: object }): void {
  const definition = eventDefinitions.get(event.type);
  if (!definition) throw new Error(`${event.type} is not in events/all.ts`);
  expect(decode(definition, definition.schema, event.data).data).toEqual(event.data);
}

export function given<S, C extends { type: string }, E extends { type: string; data: object; payload?: unknown }, F>(
  actor: Actor<S, C, E, F>,
  ...past: E[]
) {
  const before = past.reduce((state, event) => evolve(actor, state, event), actor.initialState);
  const run = (commands: readonly C[], { self = `${actor.kind}/test`, catalogue = EMPTY_CATALOGUE, now = NOW }: Where) => {
    let state = before;
    const events: E[] = [];
    const effects: F[] = [];
    let ids = 0;
    const id = (prefix: string) => `${prefix}_1-${ids++}`;
    for (const command of commands)
      for (const event of decide(actor, state, command, { now, self, catalogue, id })) {
        validate(event);
        state = evolve(actor, state, event);
        events.push(event);
        effects.push(...react(actor, event, state, { self, payload: event.payload }));
      }
    const outcome = {
      events,
      state,
      emits(...expected: E[]) {
        expect(events).toEqual(expected);
        return outcome;
      },
      emitsTypes(...types: E["type"][]) {
        expect(events.map(({ type }) => type)).toEqual(types);
        return outcome;
      },
      causes(...expected: F[]) {
        expect(effects).toEqual(expected);
        return outcome;
      },
    };
    return outcome;
  };
  const at = (where: Where) => ({
    when: (...commands: C[]) => run(commands, where),
    whenRestarted: () => run(actor.recover(before), where),
    with: (catalogue: Catalogue) => at({ ...where, catalogue }),
    as: (self: string) => at({ ...where, self }),
    now: (now: number) => at({ ...where, now }),
  });
  return at({});
}
