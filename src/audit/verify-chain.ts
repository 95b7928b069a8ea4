/** Verifying the events: positions, versions, turns, names, hashes and payload digests, in one pass over the rows as they are stored. */
import type { EventDefinition } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import { eventHash, turnHash } from "../log/hash.ts";
import { blobOf, payloadDigest, splitDigest } from "../log/payload.ts";
import { type EventRow, envelopeOf } from "../log/rows.ts";
import type { Statements } from "../log/statements.ts";
import { finding } from "./finding.ts";

/** A row whose payload is gone: some later `payload.erased` must account for it. */
export interface ErasedRow {
  readonly position: number;
  readonly stream: string;
  readonly call: string | null;
}

export interface Chain {
  /** Read on to the newest event. Short pages: a long read would keep the WAL from being reset. */
  advance(): void;
  readonly position: number;
  readonly hash: string;
  /** Of the events at the positions asked for in advance, as far as they were reached. */
  readonly hashes: ReadonlyMap<number, string>;
  readonly turns: number;
  readonly payloads: number;
  readonly erased: readonly ErasedRow[];
  /** Hashes of the blobs that payloads name. */
  readonly blobs: ReadonlyMap<string, number>;
  /** The newest version of each stream. */
  readonly versions: ReadonlyMap<string, number>;
  /** Ids of the names in use. */
  readonly names: ReadonlySet<number>;
}

type StoredRow = EventRow & {
  readonly stream_id: number;
  readonly type_id: number;
  readonly to_id: number | null;
  readonly to: string | null;
  readonly command: string;
  readonly turn_at: number;
  readonly build: string;
  readonly build_version: string;
};

const PAGE = 1000;

const SELECT = `select e.position, e.stream as stream_id, s.name as stream, e.version, e.type as type_id, t.name as type, e.schema, e.at, e.turn, e.call,
    e.data, e.payload, lower(hex(e.hash)) as hash, u.at as turn_at, u."to" as to_id, n.name as "to", u.command, b.build, b.version as build_version
  from events e left join names s on s.id = e.stream left join names t on t.id = e.type
  left join turns u on u.turn = e.turn left join names n on n.id = u."to" left join builds b on b.id = u.build
  where e.position > ? order by e.position limit ${PAGE}`;

/** `onTurn` gets the events of each turn once all of them are verified. `keep`: positions whose hash is wanted. */
export function chainOf(
  tx: Statements,
  definitions: ReadonlyMap<string, EventDefinition>,
  genesis: string,
  keep: readonly number[],
  onTurn: (turn: readonly Envelope[]) => void,
): Chain {
  const hashes = new Map<number, string>(keep.includes(0) ? [[0, genesis]] : []);
  const versions = new Map<string, number>();
  const names = new Set<number>();
  const blobs = new Map<string, number>();
  const erased: ErasedRow[] = [];
  let [position, hash, turn, turns, payloads] = [0, genesis, -1, 0, 0];
  let open: Envelope[] = [];

  const close = () => {
    if (open.length > 0) onTurn(open);
    open = [];
  };

  const payload = (row: EventRow) => {
    const { digest } = splitDigest(row.data);
    if (row.payload === null) {
      if (digest !== undefined) erased.push(row);
      return;
    }
    if (digest !== payloadDigest(row.payload))
      throw finding("altered", `the payload of position ${row.position} is not the one that was stored`, row.position);
    payloads++;
    const blob = blobOf(row.payload);
    if (blob !== undefined) blobs.set(blob, row.position);
  };

  const check = (row: StoredRow) => {
    const at = row.position;
    if (at !== position + 1) throw finding("altered", `the events between positions ${position} and ${at} are missing`, position + 1);
    if (row.stream === null || row.type === null) throw finding("altered", `position ${at} has a stream or type without a name`, at);
    const first = row.turn !== turn;
    if (row.to_id === null || row.to === null || row.build === null)
      throw finding("altered", `the input of turn ${row.turn} is missing`, at);
    if (first && row.turn < turn) throw finding("altered", `turn ${row.turn} stands after turn ${turn}`, at);
    const opening = first
      ? turnHash({ turn: row.turn, at: row.turn_at, to: row.to, command: row.command, build: row.build, version: row.build_version })
      : undefined;
    const expected = eventHash(hash, row, opening);
    if (expected !== row.hash)
      throw finding("altered", `position ${at} (${row.type} of ${row.stream}) or its turn is not what was stored`, at);
    const version = (versions.get(row.stream) ?? 0) + 1;
    if (row.version !== version)
      throw finding("altered", `position ${at} has version ${row.version} of ${row.stream} instead of ${version}`, at);
    payload(row);
    if (first) close();
    if (first) turns++;
    versions.set(row.stream, version);
    for (const id of [row.stream_id, row.type_id, row.to_id]) names.add(id);
    open.push(envelopeOf(row, definitions));
    [position, hash, turn] = [at, row.hash, row.turn];
    if (keep.includes(at)) hashes.set(at, hash);
  };

  return {
    advance() {
      for (;;) {
        const rows = tx.all<StoredRow>(SELECT, position);
        for (const row of rows) check(row);
        if (rows.length < PAGE) break;
      }
      close();
    },
    get position() {
      return position;
    },
    get hash() {
      return hash;
    },
    hashes,
    get turns() {
      return turns;
    },
    get payloads() {
      return payloads;
    },
    erased,
    blobs,
    versions,
    names,
  };
}
