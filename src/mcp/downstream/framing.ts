/** Splits a byte stream into JSON-RPC messages, one a line. Pure: bytes in, frames out. */

import { isObject } from "./json.ts";

/** One line of the stream, or what is known of a line that was too long to keep. */
export type Frame =
  | { readonly kind: "message"; readonly message: Readonly<Record<string, unknown>> }
  /** Not a JSON object: printed by mistake, or half a message. */
  | { readonly kind: "junk"; readonly bytes: number }
  /** Above the cap. `id` is that of the answered request, when the head or the tail shows it. */
  | { readonly kind: "oversized"; readonly bytes: number; readonly id?: string | number };

export const DEFAULT_MAX_LINE_BYTES = 16 * 1024 * 1024;

/** How much of both ends of an over-long line is kept to find its id. */
const ANCHOR_BYTES = 1024;
const FIRST_ROOM = 64 * 1024;
const MAX_IDLE_ROOM = 1024 * 1024;
const NEWLINE = 0x0a;

const HEAD_ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,16}|"[^"\\]{1,200}")\s*,\s*"(\w+)"/;
const TAIL_ID = /[,{]\s*"id"\s*:\s*(-?\d{1,16}|"[^"\\]{1,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The id of a response of which only both ends are known. SDK servers write it last, others first; a `method` behind it makes it a request of theirs. */
export function anchoredId(head: string, tail: string): string | number | undefined {
  const first = HEAD_ID.exec(head);
  if (first?.[2] === "method") return undefined;
  const found = first?.[1] ?? TAIL_ID.exec(tail)?.[1];
  if (found === undefined) return undefined;
  return found.startsWith('"') ? found.slice(1, -1) : Number(found);
}

/**
 * Makes a splitter: feed it chunks as they come, it calls back once a frame, in order. Lines end at 0x0A only (U+2028 is text), an unfinished
 * line waits for its rest, and a line above `maxBytes` is counted but not kept.
 */
export function createLineSplitter(onFrame: (frame: Frame) => void, maxBytes = DEFAULT_MAX_LINE_BYTES): (chunk: Buffer) => void {
  /** Room for the unfinished line, doubled as needed: the cost stays in proportion to the bytes, however small the chunks. */
  let room: Buffer = Buffer.alloc(0);
  let kept = 0;
  /** Bytes of the current line once it is over the cap; 0 otherwise. */
  let tooLong = 0;
  let head = "";
  let tail: Buffer = Buffer.alloc(0);

  function extend(piece: Buffer): void {
    if (tooLong > 0) {
      tooLong += piece.length;
      tail = lastBytes(tail, piece);
      return;
    }
    const length = kept + piece.length;
    if (length > maxBytes) {
      const line = room.subarray(0, kept);
      head = Buffer.concat([line.subarray(0, ANCHOR_BYTES), piece.subarray(0, ANCHOR_BYTES)]).toString("utf8");
      tail = lastBytes(line, piece);
      tooLong = length;
      release();
      return;
    }
    if (length > room.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, room.length * 2, FIRST_ROOM));
      room.copy(larger, 0, 0, kept);
      room = larger;
    }
    piece.copy(room, kept);
    kept = length;
  }

  function release(): void {
    kept = 0;
    // The room of a usual message is used again, that of a giant one is not held.
    if (room.length > MAX_IDLE_ROOM) room = Buffer.alloc(0);
  }

  function finish(piece: Buffer): void {
    if (kept === 0 && tooLong === 0 && piece.length <= maxBytes) {
      emitLine(piece, onFrame);
      return;
    }
    extend(piece);
    if (tooLong > 0) {
      const id = anchoredId(head, tail.toString("utf8"));
      onFrame({ kind: "oversized", bytes: tooLong, ...(id === undefined ? {} : { id }) });
      tooLong = 0;
      head = "";
      tail = Buffer.alloc(0);
      return;
    }
    const line = room.subarray(0, kept);
    emitLine(line, onFrame);
    release();
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) extend(chunk.subarray(start));
  };
}

function lastBytes(before: Buffer, added: Buffer): Buffer {
  if (added.length >= ANCHOR_BYTES) return Buffer.from(added.subarray(-ANCHOR_BYTES));
  return Buffer.concat([before.subarray(-(ANCHOR_BYTES - added.length)), added]);
}

function emitLine(line: Buffer, onFrame: (frame: Frame) => void): void {
  const text = line.toString("utf8");
  if (text.trim() === "") return;
  // Not even asked of the parser: a server that logs to stdout would cost an exception a line.
  if (!/^\s*[[{]/.test(text)) {
    onFrame({ kind: "junk", bytes: line.length });
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    onFrame({ kind: "junk", bytes: line.length });
    return;
  }
  // Revision 2025-03-26 allows several messages in one array.
  for (const message of Array.isArray(value) ? value : [value]) {
    if (isObject(message)) onFrame({ kind: "message", message });
    else onFrame({ kind: "junk", bytes: line.length });
  }
}
