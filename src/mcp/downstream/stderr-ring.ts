/** The last lines of a child's stderr, bounded in lines and bytes whatever the child writes. */

export interface StderrRing {
  push(chunk: Buffer): void;
  /** Oldest first, with the unfinished line last. */
  lines(): readonly string[];
}

/** So much more of a line is kept than is shown, so that a secret at the cut is whole when it is looked for. */
const SLACK_BYTES = 1024;

/** Makes a ring of at most `maxLines` lines of at most `maxLineBytes` bytes each; the rest of a longer line is dropped, after `redact` has seen it. */
export function createStderrRing(maxLines = 200, maxLineBytes = 2000, redact: (text: string) => string = (text) => text): StderrRing {
  let kept: string[] = [];
  let open: Buffer[] = [];
  let openBytes = 0;

  function add(piece: Buffer): void {
    const room = maxLineBytes + SLACK_BYTES - openBytes;
    if (room <= 0 || piece.length === 0) return;
    // Copied: a slice would keep the whole chunk alive.
    const part = Buffer.from(piece.subarray(0, room));
    open.push(part);
    openBytes += part.length;
  }

  function current(): string {
    return Buffer.concat(open).toString("utf8").trimEnd();
  }

  function endLine(): void {
    kept.push(current());
    open = [];
    openBytes = 0;
    if (kept.length > maxLines * 2) kept = kept.slice(-maxLines);
  }

  return {
    push(chunk) {
      // Only what can still be seen afterwards is looked at, so a flood costs next to nothing.
      let start = startOfLastLines(chunk, maxLines + 1);
      if (start > 0) {
        open = [];
        openBytes = 0;
      }
      for (let end = chunk.indexOf(0x0a, start); end !== -1; end = chunk.indexOf(0x0a, start)) {
        add(chunk.subarray(start, end));
        endLine();
        start = end + 1;
      }
      add(chunk.subarray(start));
    },
    lines() {
      const all = openBytes > 0 ? [...kept, current()] : kept;
      return all.slice(-maxLines).map((line) => cut(redact(line), maxLineBytes));
    },
  };
}

function cut(line: string, bytes: number): string {
  if (Buffer.byteLength(line) <= bytes) return line;
  return Buffer.from(line).subarray(0, bytes).toString("utf8");
}

/** Where the last `count` lines of the chunk begin; 0 when it has no more than that. */
function startOfLastLines(chunk: Buffer, count: number): number {
  let position = chunk.length;
  for (let seen = 0; seen <= count; seen++) {
    position = chunk.lastIndexOf(0x0a, position - 1);
    if (position <= 0) return 0;
  }
  return position + 1;
}
