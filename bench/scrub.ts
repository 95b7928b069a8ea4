/** How fast the scrubber and the digests are: `bun bench/scrub.ts`. Prints figures, asserts nothing. */
import { findUnsafeInteger, measure } from "../src/observe/bounds.ts";
import { argumentDigest } from "../src/observe/digest.ts";
import { createVault } from "../src/secrets/vault.ts";

const key = new Uint8Array(32).fill(1);
const random = (length: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(length)))
    .toString("base64url")
    .slice(0, length);
const secrets = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `s${index}`, value: `sk-proj-${random(32)}` }));

/** Median time of one run in microseconds. */
function time(run: () => unknown, runs: number): number {
  const times: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const start = Bun.nanoseconds();
    for (let count = 0; count < runs; count += 1) run();
    times.push((Bun.nanoseconds() - start) / runs / 1000);
  }
  return times.sort((a, b) => a - b)[7] ?? 0;
}

const small = {
  path: "/home/user/project/src/main.ts",
  edits: [{ oldText: "const a = 1;\n".repeat(12), newText: "let b = 2;\n".repeat(12) }],
  dryRun: false,
  n: 42,
};
const megabyte = {
  words: "The quick brown fox jumps over the lazy dog, again and again. ".repeat(17_000).slice(0, 1_000_000),
  tokens: random(1_000_000),
  unicode: "Привет, мир! Ёлка и щука. ".repeat(40_000).slice(0, 1_000_000),
};
const leaves = Array.from({ length: 12_000 }, (_, id) => ({
  id,
  name: `item number ${id}`,
  state: "open",
  url: `https://example.org/items/${id}`,
}));
const leavesSize = JSON.stringify(leaves).length;

console.log(
  `arguments of ${JSON.stringify(small).length} bytes: digest ${time(() => argumentDigest(key, small), 2_000).toFixed(2)} µs, measure ${time(() => measure(small), 2_000).toFixed(2)} µs`,
);
const raw = JSON.stringify(megabyte);
console.log(`unsafe integers: ${(raw.length / time(() => findUnsafeInteger(raw), 2)).toFixed(0)} MB/s`);

for (const count of [1, 20, 200, 2_000]) {
  const vault = createVault({ key });
  vault.configure(secrets(count));
  const start = Bun.nanoseconds();
  vault.redactText("built on first use, longer than any window");
  const built = (Bun.nanoseconds() - start) / 1e6;
  const scope = { session: "s", server: "v" };
  const rates = Object.entries(megabyte).map(
    ([name, text]) => `${name} ${(text.length / time(() => vault.conceal({ text }, scope), 2)).toFixed(0)}`,
  );
  const manyLeaves = leavesSize / time(() => vault.conceal(leaves, scope), 2);
  const [conceal, reveal] = [time(() => vault.conceal(small, scope), 2_000), time(() => vault.reveal(small, scope), 2_000)];
  console.log(
    `${count} secrets: conceal ${conceal.toFixed(2)} µs, reveal ${reveal.toFixed(2)} µs; MB/s: ${rates.join(", ")}, leaves ${manyLeaves.toFixed(0)}; built in ${built.toFixed(1)} ms`,
  );
}
