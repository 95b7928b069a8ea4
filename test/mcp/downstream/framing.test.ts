/** The line splitter: whatever the chunks, the same messages. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { anchoredId, createLineSplitter, type Frame } from "../../../src/mcp/downstream/framing.ts";

function split(chunks: Iterable<Uint8Array>, maxBytes?: number): Frame[] {
  const frames: Frame[] = [];
  const feed = createLineSplitter((frame) => frames.push(frame), maxBytes);
  for (const chunk of chunks) feed(Buffer.from(chunk));
  return frames;
}

function messages(frames: readonly Frame[]): unknown[] {
  return frames.map((frame) => (frame.kind === "message" ? frame.message : frame.kind));
}

test("messages survive any cut of the byte stream, also within a character", () => {
  const message = fc.record({ id: fc.integer(), text: fc.string({ unit: "binary" }) });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 12 }), (sent, cuts) => {
      const bytes = Buffer.from(sent.map((item) => `${JSON.stringify(item)}\n`).join(""), "utf8");
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i] ?? 0, end));
      expect(messages(split(chunks))).toEqual(sent.map((item) => JSON.parse(JSON.stringify(item))));
    }),
  );
});

test("a line ends at 0x0A only: other separators are text, a carriage return before it is not", () => {
  const text = "a\u2028b\u2029c\u0085d";
  expect(messages(split([Buffer.from(`${JSON.stringify({ text })}\r\n`)]))).toEqual([{ text }]);
});

test("an unfinished line waits for its end", () => {
  expect(split([Buffer.from('{"a":1}')])).toEqual([]);
});

test("junk is reported, blank lines are not, and what follows is read", () => {
  const frames = split([Buffer.from('starting up…\n\n  \n{"half":\n5\n{"ok":true}\n')]);
  expect(messages(frames)).toEqual(["junk", "junk", "junk", { ok: true }]);
});

test("several messages in one array are several messages", () => {
  expect(messages(split([Buffer.from('[{"a":1},{"b":2}]\n')]))).toEqual([{ a: 1 }, { b: 2 }]);
});

test.each([
  ["first", `{"jsonrpc":"2.0","id":7,"result":{"text":"${"x".repeat(5000)}"}}`],
  ["last", `{"result":{"text":"${"x".repeat(5000)}"},"jsonrpc":"2.0","id":7}`],
  ["last but one", `{"result":{"text":"${"x".repeat(5000)}"},"id":7,"jsonrpc":"2.0"}`],
])("a line above the cap is not kept, but its id is found when it stands %s", (_, line) => {
  for (const size of [1, 100, 4096, 1_000_000]) {
    const bytes = Buffer.from(`${line}\n{"next":1}\n`);
    const chunks: Buffer[] = [];
    for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.subarray(i, i + size));
    expect(split(chunks, 4000)).toEqual([
      { kind: "oversized", bytes: line.length, id: 7 },
      { kind: "message", message: { next: 1 } },
    ]);
  }
});

test("a line of exactly the cap is kept", () => {
  const line = JSON.stringify({ text: "x".repeat(100) });
  expect(split([Buffer.from(`${line}\n`)], line.length)[0]?.kind).toBe("message");
  expect(split([Buffer.from(line), Buffer.from("\n")], line.length)[0]?.kind).toBe("message");
  expect(split([Buffer.from(`${line}\n`)], line.length - 1)[0]?.kind).toBe("oversized");
});

test("an id inside the result, or of a request of the server, is not taken for the answered id", () => {
  expect(anchoredId('{"jsonrpc":"2.0","result":{"rows":[', '{"id":5}]}}')).toBeUndefined();
  expect(anchoredId('{"result":{"text":"', 'say \\"id\\":5}"}}')).toBeUndefined();
  expect(anchoredId('{"jsonrpc":"2.0","id":5,"method":"ping","params":{', '"x":1}}')).toBeUndefined();
  expect(anchoredId('{"id":"abc","result":{', "}}")).toBe("abc");
});

test("a 64 MiB line costs no more than a few copies of itself", () => {
  const chunk = Buffer.alloc(65_536, "x");
  const frames: Frame[] = [];
  const feed = createLineSplitter((frame) => frames.push(frame), 128 * 1024 * 1024);
  feed(Buffer.from('{"id":1,"result":{"text":"'));
  // With one concatenation per chunk this would copy 32 GiB and run into the time limit.
  for (let i = 0; i < 1024; i++) feed(chunk);
  feed(Buffer.from('"}}\n'));
  expect(frames[0]?.kind).toBe("message");
});
