/** From a stored row to an envelope. */
import { decode, type EventDefinition } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import { payloadOf, splitDigest } from "./payload.ts";

/** A row of `events` with its names joined in. */
export interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly schema: number;
  readonly at: number;
  readonly turn: number;
  readonly call: string | null;
  readonly data: string;
  readonly payload: string | null;
  /** Hex. */
  readonly hash: string;
}

/** `from` and what follows is appended by each query. */
export const SELECT_EVENTS = `select e.position, s.name as stream, e.version, t.name as type, e.schema, e.at, e.turn, e.call, e.data, e.payload, lower(hex(e.hash)) as hash
  from events e join names s on s.id = e.stream join names t on t.id = e.type`;

/** Upcast and validated. A payload that was erased is absent; one that is a blob is its reference. Throws when this release does not know the type or its schema. */
export function envelopeOf(row: EventRow, definitions: ReadonlyMap<string, EventDefinition>): Envelope {
  const definition = definitions.get(row.type);
  if (definition === undefined)
    throw new Error(`the log holds ${row.type} at position ${row.position}, which this release does not know: start the newer release`);
  const { type, schema, data } = decode(definition, row.schema, JSON.parse(splitDigest(row.data).data));
  const { position, stream, version, at, turn, hash } = row;
  return {
    position,
    stream,
    version,
    type,
    schema,
    at,
    turn,
    ...(row.call !== null && { call: row.call }),
    data,
    ...(row.payload !== null && { payload: payloadOf(row.payload) }),
    hash,
  };
}
