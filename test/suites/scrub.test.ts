/** Samples made by others: ordinary text stays as it is beside configured secrets, and other people's JSON has one canonical text. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalize } from "../../src/observe/canonical.ts";
import { createVault } from "../../src/secrets/vault.ts";

const suites = process.env["TOOLCRIB_SUITES"];
const lines = (path: string): { text: string; secret?: string; family: string }[] =>
  readFileSync(join(suites ?? "", path), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe.skipIf(suites === undefined)("suites (set TOOLCRIB_SUITES to run)", () => {
  const samples = () => lines("secrets/samples.jsonl").filter(({ secret }) => (secret?.trim().length ?? 0) >= 8);

  test("registered secrets are gone from every text they stand in, and come back from there", () => {
    const vault = createVault({ key: new Uint8Array(32), limits: { entriesPerSession: 10 } });
    const scope = { session: "s", server: "v" };
    vault.configure(samples().map(({ secret = "" }) => ({ name: "sample", value: secret })));
    for (const { text, secret = "" } of samples()) {
      const { value } = vault.conceal({ text }, scope);
      expect(value.text).not.toContain(secret.trim());
      expect(vault.reveal(value, scope)).toEqual({ ok: true, value: { text } });
    }
  });

  test("texts without a secret stay byte for byte beside a hundred registered secrets", () => {
    const vault = createVault({ key: new Uint8Array(32) });
    const random = samples().filter(({ family }) => family === "prefixed");
    vault.configure(random.slice(0, 100).map(({ secret = "" }) => ({ name: "sample", value: secret })));
    for (const { text } of lines("not-secrets/samples.jsonl")) {
      const value = { text };
      expect(vault.conceal(value, { session: "s", server: "v" }).value).toBe(value);
    }
  });

  test("valid JSON texts keep their value in canonical form", () => {
    const folder = join(suites ?? "", "json");
    const valid = readdirSync(folder).filter((name) => name.startsWith("y_"));
    expect(valid.length).toBeGreaterThan(50);
    for (const name of valid) {
      const value: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
      const text = canonicalize(value, "escape");
      // Canonical numbers have no negative zero; JSON.stringify writes none either.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalize(JSON.parse(text), "escape")).toBe(text);
    }
  });
});
