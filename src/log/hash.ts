/** What the hashes of the log cover, byte for byte: used by the writer, and again by whoever verifies. */

/** The columns of an event that its hash covers, as text and numbers. */
export interface HashedEvent {
  readonly position: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly schema: number;
  readonly at: number;
  readonly turn: number;
  readonly call: string | null;
  /** As stored, with the payload's digest in it. */
  readonly data: string;
}

export interface HashedTurn {
  readonly turn: number;
  readonly at: number;
  readonly to: string;
  readonly command: string;
  readonly build: string;
  readonly version: string;
}

/** Hex SHA-256 of a text's UTF-8 bytes. One call: a hasher object costs several times as much. */
export function sha256(text: string): string {
  return Bun.SHA256.hash(text, "hex");
}

/** Texts by their length in bytes, numbers by a mark that no number has: no two different rows make the same text. */
function field(value: string | number): string {
  return typeof value === "number" ? `${value};` : `${Buffer.byteLength(value)}:${value}`;
}

/** What the first event of a log follows: binds the chain to the id of its log. */
export function genesis(logId: string): string {
  return sha256(`toolcrib log ${logId}`);
}

/** Hex hash of a turn's input. The first event of the turn covers it. */
export function turnHash(turn: HashedTurn): string {
  return sha256(
    `turn ${field(turn.turn)}${field(turn.at)}${field(turn.to)}${field(turn.command)}${field(turn.build)}${field(turn.version)}`,
  );
}

/** Hex hash of an event row. `previous` is the hash of the position before; `turn` the turn's hash when this is the turn's first event. */
export function eventHash(previous: string, e: HashedEvent, turn?: string): string {
  const { stream, type, call, data } = e;
  const texts = `${Buffer.byteLength(stream)}:${stream}${Buffer.byteLength(type)}:${type}${call === null ? "-" : `${Buffer.byteLength(call)}:${call}`}${Buffer.byteLength(data)}:${data}`;
  return sha256(`${previous}${e.position};${e.version};${e.schema};${e.at};${e.turn};${texts}${turn ?? ""}`);
}

/** Hex hash of a snapshot: it is a cache, but one that is believed. */
export function snapshotHash(stream: string, version: number, shape: number, state: string): string {
  return sha256(`snapshot ${field(stream)}${field(version)}${field(shape)}${field(state)}`);
}

/** Hex hash of a row of `projections`: its version decides whether the tables are believed. */
export function projectionHash(name: string, version: number, position: number, tables: string): string {
  return sha256(`projection ${field(name)}${field(version)}${field(position)}${field(tables)}`);
}
