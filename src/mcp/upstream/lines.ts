/** A stream of bytes, line by line. */
const NEWLINE = 0x0a;

/** Splits bytes into lines without their newline; undefined stands for a line that was too long and skipped. */
export async function* linesOf(bytes: ReadableStream<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array | undefined> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      size += to - from;
      if (size > maxBytes) yield undefined;
      else if (size > 0) yield parts.length === 0 ? chunk.subarray(from, to) : Buffer.concat([...parts, chunk.subarray(from, to)]);
      parts = [];
      size = 0;
      from = to + 1;
    }
    size += chunk.length - from;
    if (size <= maxBytes) parts.push(chunk.subarray(from));
    else parts = [];
  }
  if (size > maxBytes) yield undefined;
  else if (size > 0) yield Buffer.concat(parts);
}
