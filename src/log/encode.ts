/** A batch as rows: positions, versions and hashes are final before anything is written, so that a flush can be repeated. */
import type { Envelope } from "../../events/envelope.ts";
import type { Batch, Command, Head, NewEvent } from "../runtime/event-log.ts";
import { eventHash, turnHash } from "./hash.ts";
import type { Names } from "./names.ts";
import { type Blob, payloadDigest, storePayload, withDigest } from "./payload.ts";
import type { Statements } from "./statements.ts";

/** An event as decided, beside the columns that only the row has. */
export interface EncodedEvent {
  readonly envelope: Envelope;
  readonly stream: number;
  readonly type: number;
  readonly data: string;
  readonly payload: string | null;
}

export interface Encoded {
  readonly turn: number;
  readonly at: number;
  readonly to: number;
  readonly command: string;
  readonly events: readonly EncodedEvent[];
  readonly names: ReadonlyArray<readonly [id: number, name: string]>;
  readonly blobs: readonly Blob[];
  readonly full: boolean;
  /** The head once this batch is committed. */
  readonly head: Head;
}

interface Stream {
  readonly id: number;
  version: number;
  /** Of the last event encoded in this process. */
  position: number;
}

export interface Encoder {
  encode(batch: Batch): Encoded;
  /** The newest row encoded, committed or not. */
  readonly tail: Head;
  /** Position of the stream's newest event of this process, 0 if it had none or was forgotten. */
  lastPosition(stream: string): number;
  forget(stream: string): void;
}

/** `tx` is asked once for each stream that is new to this process. */
export function encoderOf(tx: Statements, names: Names, build: { build: string; version: string }, head: Head): Encoder {
  const streams = new Map<string, Stream>();
  let tail = head;

  const streamOf = (name: string, fresh: (id: number, name: string) => void): Stream => {
    const known = streams.get(name);
    if (known !== undefined) return known;
    const id = names.idOf(name, fresh);
    const version = tx.get<{ version: number | null }>("select max(version) as version from events where stream = ?", id)?.version ?? 0;
    const made = { id, version, position: 0 };
    streams.set(name, made);
    return made;
  };

  return {
    get tail() {
      return tail;
    },
    lastPosition: (stream) => streams.get(stream)?.position ?? 0,
    forget(stream) {
      streams.delete(stream);
      names.forget(stream);
    },
    encode({ turn, at, to, command, events, durability }) {
      const added: [number, string][] = [];
      const blobs: Blob[] = [];
      const fresh = (id: number, name: string) => void added.push([id, name]);
      const input = commandJson(command, events);
      let opening: string | undefined = turnHash({ turn, at, to, command: input, ...build });
      let { position, hash } = tail;
      const encoded = events.map((event): EncodedEvent => {
        const stream = streamOf(event.stream, fresh);
        const stored = event.payload === undefined ? undefined : storePayload(JSON.stringify(event.payload));
        if (stored?.blob !== undefined) blobs.push(stored.blob);
        const plain = JSON.stringify(event.data);
        const data = stored === undefined ? plain : withDigest(plain, payloadDigest(stored.column));
        const call = callOf(event);
        stream.position = ++position;
        const version = ++stream.version;
        const { type, schema } = event;
        hash = eventHash(hash, { position, stream: event.stream, version, type, schema, at, turn, call: call ?? null, data }, opening);
        opening = undefined;
        return {
          envelope: assemble(event, position, version, at, turn, call, hash),
          stream: stream.id,
          type: names.idOf(type, fresh),
          data,
          payload: stored?.column ?? null,
        };
      });
      tail = { position, turn, at, hash };
      return {
        turn,
        at,
        to: names.idOf(to, fresh),
        command: input,
        events: encoded,
        names: added,
        blobs,
        full: durability === "full",
        head: tail,
      };
    },
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function assemble(
  e: NewEvent,
  position: number,
  version: number,
  at: number,
  turn: number,
  call: string | undefined,
  hash: string,
): Envelope {
  const { stream, type, schema, data, payload } = e;
  const envelope: Mutable<Envelope> = { position, stream, version, type, schema, at, turn, data, hash };
  if (call !== undefined) envelope.call = call;
  if (payload !== undefined) envelope.payload = payload;
  return envelope;
}

function callOf({ data }: NewEvent): string | undefined {
  const call = "call" in data ? data.call : undefined;
  return typeof call === "string" ? call : undefined;
}

/** The input without its free values: they stand once, beside the event that carries the same object. */
function commandJson(command: Command, events: readonly NewEvent[]): string {
  const { payload } = command;
  if (payload === undefined) return JSON.stringify(command);
  const bearer = typeof payload === "object" && payload !== null ? events.findIndex((event) => event.payload === payload) : -1;
  return JSON.stringify({ ...command, payload: bearer < 0 ? undefined : { $event: bearer } });
}
