/** The form of every actor: pure tables keyed by the names of commands and events. */
import type { Catalogue } from "./catalogue.ts";

/** What a decision may know besides its state and its command. Fixed for the whole turn, reproducible from the log. */
export interface TurnContext {
  /** Milliseconds since the epoch, one value for the whole turn. */
  readonly now: number;
  /** The address of the actor that decides. */
  readonly self: string;
  /** What the registry has published up to this turn. */
  readonly catalogue: Catalogue;
  /** A new id, reproducible from the turn's number. */
  readonly id: (prefix: string) => string;
}

/** What a reaction may know besides the event's data and the state after it. */
export interface Reacting {
  readonly self: string;
  readonly payload: unknown;
}

/** A command from one actor to another, delivered inside the turn. */
export interface Tell {
  readonly type: "tell";
  readonly to: string;
  readonly command: { readonly type: string; readonly payload?: unknown; readonly [field: string]: unknown };
}

type Named = { readonly type: string };
type Event = Named & { readonly data: object };
type DataOf<E extends Event, K> = Extract<E, { type: K }>["data"];

/** An actor is four pure tables and what to do after a restart. The runtime owns everything else. */
export interface Actor<State, Command extends Named, E extends Event, Effect> {
  readonly kind: string;
  /** Changed whenever the shape of State changes: older snapshots are then ignored. */
  readonly shape: number;
  readonly initialState: State;
  /** A command comes in; these events are true from now on. None: nothing happened. */
  readonly decide: {
    readonly [K in Command["type"]]: (state: State, command: Extract<Command, { type: K }>, turn: TurnContext) => readonly E[];
  };
  /** Fold one event. Never throws, never looks at the world. */
  readonly evolve: { readonly [K in E["type"]]: (state: State, data: DataOf<E, K>) => State };
  /** What an event causes: commands to other actors, and effects on the world once the event is durable. */
  readonly react: { readonly [K in E["type"]]?: (data: DataOf<E, K>, state: State, about: Reacting) => readonly Effect[] };
  /** After a restart, before the doors open: the commands to send to oneself. */
  readonly recover: (state: State) => readonly Command[];
  /** True when nothing is open, so that the state may leave memory. */
  readonly isQuiet: (state: State) => boolean;
}

export const defineActor = <S, C extends Named, E extends Event, F>(actor: Actor<S, C, E, F>): Actor<S, C, E, F> => actor;

/** An actor whose types the runtime does not know: a stream only ever meets its own commands and events. */
// biome-ignore lint/suspicious/noExplicitAny: contravariant in its commands and events
export type AnyActor = Actor<any, any, any, any>;

/** The tables, called by name. The only place where a table is indexed by a string. */
export const decide = <S, C extends Named, E extends Event, F>(actor: Actor<S, C, E, F>, state: S, command: C, turn: TurnContext) =>
  actor.decide[command.type as C["type"]](state, command as never, turn);
export const evolve = <S, C extends Named, E extends Event, F>(actor: Actor<S, C, E, F>, state: S, event: E): S =>
  actor.evolve[event.type as E["type"]](state, event.data as never);
export const react = <S, C extends Named, E extends Event, F>(actor: Actor<S, C, E, F>, event: E, state: S, about: Reacting) =>
  actor.react[event.type as E["type"]]?.(event.data as never, state, about) ?? [];
