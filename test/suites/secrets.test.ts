/** Samples of credentials and of ordinary texts, made by others: how many of the first are hidden, how many of the second stay. */
import { describe, expect, test } from "bun:test";
import { vaultWithPatterns } from "../secrets/scrubbed.ts";
import { BY_LOOKS, readSamples, type Sample, shareOf } from "./secret-samples.ts";

const suites = process.env["TOOLCRIB_SUITES"];
const samples = (name: "secrets" | "not-secrets") => readSamples(suites ?? "", name);
const LEAST = { keyed: 0.95, generic: 0.95, shape: 0.95, structured: 0.9 };

describe.skipIf(suites === undefined)("samples of secrets (set TOOLCRIB_SUITES to run)", () => {
  const vault = vaultWithPatterns();
  const isGone = ({ text, secret }: Sample) => !vault.redactText(text).includes(secret);
  const stays = ({ text }: Sample) => vault.redactText(text) === text;

  test("of the credentials that are known by their looks at least 99 in a hundred are hidden", () => {
    const recall = shareOf(
      samples("secrets").filter(({ family }) => BY_LOOKS.includes(family)),
      isGone,
    );
    expect(recall.of).toBeGreaterThan(2_000);
    expect(recall.share, `missed: ${recall.missed}`).toBeGreaterThanOrEqual(0.99);
  });

  test.each(Object.entries(LEAST))("of the family %s at least a share of %d is hidden", (family, least) => {
    const recall = shareOf(
      samples("secrets").filter((sample) => sample.family === family),
      isGone,
    );
    expect(recall.of).toBeGreaterThan(10);
    expect(recall.share, `missed: ${recall.missed}`).toBeGreaterThanOrEqual(least);
  });

  test("of the ordinary texts at least 95 in a hundred stay byte for byte, and of sums, ids, lock files and images all", () => {
    const ordinary = samples("not-secrets").filter((sample) => sample.class === "ordinary");
    const precision = shareOf(ordinary, stays);
    expect(precision.of).toBeGreaterThan(1_000);
    expect(precision.share, `changed: ${precision.missed}`).toBeGreaterThanOrEqual(0.95);
    const never = /^(?:git-|sha|md5|uuid|ulid|etag|trace|lock-file|base64-image|yaml-user|public-pem)/;
    expect(
      shareOf(
        ordinary.filter(({ rule }) => never.test(rule)),
        stays,
      ).missed,
    ).toEqual([]);
  });

  test("what was hidden comes back byte for byte where it came from", () => {
    const scope = { session: "s", server: "v" };
    for (const { text } of samples("secrets")) {
      const { value } = vault.conceal({ text }, scope);
      expect(vault.reveal(value, scope)).toEqual({ ok: true, value: { text } });
    }
  });
});
