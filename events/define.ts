/** How a fact is defined: one definition makes events of one type, and reads every older shape of it. */
import type { z } from "zod";

/** One fact. `data` is structure and is hashed; `payload` holds free values (arguments, results, other people's words) and can be erased. */
export interface Event {
  readonly type: string;
  readonly schema: number;
  readonly data: object;
  readonly payload?: unknown;
}

/** An event's definition: its name, its current schema version, its shape, and how to upcast every older shape. */
export interface EventDefinition<T extends string = string, S extends z.ZodType = z.ZodType> {
  readonly type: T;
  readonly schema: number;
  readonly data: S;
  /** `upcasters[n]` turns schema n + 1 into schema n + 2. Never edited once released. */
  // biome-ignore lint/suspicious/noExplicitAny: an upcaster reads a shape that no type describes any more
  readonly upcasters: ReadonlyArray<(old: any) => unknown>;
  (data: z.input<S>, payload?: unknown): Made<T, z.output<S>>;
}

interface Made<T extends string, D> {
  readonly type: T;
  readonly schema: number;
  readonly data: D;
  readonly payload?: unknown;
}

export type EventOf<D> = D extends EventDefinition<infer T, infer S> ? Made<T, z.output<S>> : never;

interface Options {
  readonly upcasters?: EventDefinition["upcasters"];
  /** Four events a call are made on the hot path: the type checker vouches for them, tests and `verify` validate them. */
  readonly hot?: boolean;
}

export function defineEvent<const T extends string, S extends z.ZodType>(
  type: T,
  data: S,
  { upcasters = [], hot = false }: Options = {},
): EventDefinition<T, S> {
  const schema = upcasters.length + 1; // one upcaster per older schema: the number cannot be forgotten
  const make = (input: z.input<S>, payload?: unknown) => {
    const checked = hot ? input : data.parse(input);
    return payload === undefined ? { type, schema, data: checked } : { type, schema, data: checked, payload };
  };
  return Object.assign(make, { type, schema, data, upcasters }) as EventDefinition<T, S>;
}

/** Read one stored event: upcast it to the current schema, then validate. Throws when a newer release wrote it or its shape is wrong. */
export function decode(definition: EventDefinition, schema: number, raw: unknown): { type: string; schema: number; data: object } {
  if (schema > definition.schema)
    throw new Error(`${definition.type} schema ${schema} was written by a newer release (this one knows ${definition.schema})`);
  const current = definition.upcasters.slice(schema - 1).reduce<unknown>((old, upcast) => upcast(old), raw);
  return { type: definition.type, schema: definition.schema, data: definition.data.parse(current) as object };
}
