/** `bun run bench:scrub`: how fast secrets are looked for, and on samples ($TOOLCRIB_SUITES) how many are found. `--keep` writes the figures into RESULTS.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { findUnsafeInteger, measure } from "../src/observe/bounds.ts";
import { argumentDigest } from "../src/observe/digest.ts";
import { patterns } from "../src/secrets/patterns.ts";
import { createVault, type Vault } from "../src/secrets/vault.ts";
import { BY_LOOKS, readSamples, shareOf } from "../test/suites/secret-samples.ts";
import { table } from "./report.ts";
import { replaceSection, SCRUBBER } from "./sections.ts";
import { REPOSITORY } from "./systems.ts";

const key = new Uint8Array(32).fill(1);
const scope = { session: "s", server: "v" };
const suites = process.env["TOOLCRIB_SUITES"];
const random = (length: number, encoding: "base64" | "base64url" | "hex") =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(length)))
    .toString(encoding)
    .slice(0, length);

/** The least CPU time of many rounds in microseconds a run: what the work costs on a machine that others use, too. */
function best(run: () => unknown, rounds: number, times = 1): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let count = 0; count < times; count += 1) run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / times);
  }
  return least;
}

function vaultOf(secrets: number): Vault {
  const vault = createVault({ key, patterns });
  vault.configure(Array.from({ length: secrets }, (_, index) => ({ name: `s${index}`, value: `own-${random(32, "base64url")}` })));
  vault.redactText("built on first use, longer than any window");
  return vault;
}

const items = Array.from({ length: 1_500 }, (_, id) => ({ id, name: `item ${id}`, state: "open", url: `https://example.org/items/${id}` }));
const texts: Readonly<Record<string, string>> = {
  prose: "The quick brown fox jumps over the lazy dog, again and again. ".repeat(1_600),
  "source of a program": readFileSync(join(REPOSITORY, "src", "main.ts"), "utf8")
    .repeat(200)
    .slice(0, 100_000),
  "JSON in a text": JSON.stringify(items),
  "lines of a log": items.map(({ id, url }) => `2026-11-30T12:00:00.${id}Z INFO [worker-3] GET ${url} 200 in 12 ms`).join("\n"),
  hexadecimal: random(100_000, "hex"),
  base64: random(100_000, "base64"),
  Cyrillic: "Привет, мир! Ёлка и щука. ".repeat(4_000),
  "settings, one secret a line": items.map(({ id }) => `SERVICE_${id}_TOKEN=${random(32, "base64url")}`).join("\n"),
};

function speeds(): string {
  const vault = vaultOf(20);
  const given =
    suites === undefined ? [] : (["not-secrets", "secrets"] as const).map((name) => [`samples: ${name}`, joined(name)] as const);
  const rows = [...Object.entries(texts), ...given].map(([name, text]) => [
    name,
    whole(text.length / best(() => vault.redactText(text), 30, 5)),
  ]);
  const leaves = JSON.stringify(items).length / best(() => vault.conceal(items, scope), 30, 5);
  return table([["text", "MB/s"], ...rows, ["JSON, leaf by leaf", whole(leaves)]]);
}

const joined = (name: "secrets" | "not-secrets"): string =>
  readSamples(suites ?? "", name)
    .map(({ text }) => text)
    .join("\n");
const whole = (value: number): string => value.toFixed(0);

const edit = {
  path: "/home/user/project/src/main.ts",
  edits: [{ oldText: "const a = 1;\n".repeat(12), newText: "let b = 2;\n".repeat(12) }],
};

function calls(): string {
  const result = { content: [{ type: "text", text: JSON.stringify({ items: items.slice(0, 2) }).slice(0, 200) }] };
  const rows = [0, 20, 200, 2_000].map((secrets) => {
    const vault = vaultOf(secrets);
    const microseconds = (run: () => unknown) => best(run, 100, 2_000).toFixed(2);
    return [
      `${secrets}`,
      microseconds(() => vault.conceal(result, scope)),
      microseconds(() => vault.conceal(edit, scope)),
      microseconds(() => vault.reveal(edit, scope)),
      whole((texts["JSON in a text"] ?? "").length / best(() => vault.redactText(texts["JSON in a text"] ?? ""), 30, 5)),
    ];
  });
  const size = JSON.stringify(edit).length;
  return table([
    ["registered", "result of 200 bytes, µs", `arguments of ${size} bytes, µs`, "markers looked for in them, µs", "JSON, MB/s"],
    ...rows,
  ]);
}

/** What else is done with every call's arguments. */
function beside(): string {
  const microseconds = (run: () => unknown) => best(run, 100, 2_000).toFixed(2);
  const text = texts["JSON in a text"] ?? "";
  return `Beside it, for the same arguments: ${microseconds(() => argumentDigest(key, edit))} µs for their digest, ${microseconds(() => measure(edit))} µs for their bounds; integers that no
parser keeps are looked for at ${whole(text.length / best(() => findUnsafeInteger(text), 30, 5))} MB/s.`;
}

function found(): string {
  const vault = vaultOf(0);
  const [secrets, others] = [readSamples(suites ?? "", "secrets"), readSamples(suites ?? "", "not-secrets")];
  const gone = (families: readonly string[]) =>
    shareOf(
      secrets.filter(({ family }) => families.includes(family)),
      ({ text, secret }) => !vault.redactText(text).includes(secret),
    );
  const kept = (kind: string) =>
    shareOf(
      others.filter((sample) => sample.class === kind),
      ({ text }) => vault.redactText(text) === text,
    );
  const row = (what: string, { of, share }: ReturnType<typeof shareOf>, goal = "") => [
    what,
    `${of}`,
    `${(100 * share).toFixed(2)} %`,
    goal,
  ];
  return table([
    ["samples", "how many", "hidden, or left as they are", "goal"],
    row(`hidden: ${BY_LOOKS.join(", ")} together`, gone(BY_LOOKS), "≥ 99 %"),
    ...BY_LOOKS.map((family) => row(`– ${family}`, gone([family]))),
    ...["keyed", "generic", "shape", "structured"].map((family) => row(`hidden: ${family}`, gone([family]))),
    row("left as they are: ordinary", kept("ordinary"), "≥ 95 %"),
    row("left as they are: near misses", kept("near-miss")),
  ]);
}

const load = loadavg()[0] ?? 0;
const section = `${SCRUBBER}

Written by \`bun run bench:scrub --keep\` on ${new Date().toISOString().slice(0, 10)}. ${patterns.families.length} families of credentials.
${suites === undefined ? "" : `\n${found()}\n`}
Texts of some 100 kB beside 20 registered secrets, one thread; the goal is ≥ 20 MB/s. The machine is shared (load average ${load.toFixed(1)} on ${cpus().length} cores),
so every figure is CPU time, the best of many rounds.

${speeds()}

What a call pays, where nothing is found:

${calls()}

${beside()}
`;
console.log(section);
if (process.argv.includes("--keep")) {
  const file = join(REPOSITORY, "bench", "RESULTS.md");
  writeFileSync(file, replaceSection(readFileSync(file, "utf8"), SCRUBBER, section));
}
