/** Samples of credentials and of ordinary texts, made by others, and how a scrubber fares on them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Sample {
  readonly rule: string;
  readonly text: string;
  /** Of a credential: what may no longer stand in the scrubbed text. */
  readonly secret: string;
  /** Of a credential. */
  readonly family: string;
  /** Of another text: "ordinary" or "near-miss". */
  readonly class: string;
}

export function readSamples(suites: string, name: "secrets" | "not-secrets"): readonly Sample[] {
  const lines = readFileSync(join(suites, name, "samples.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Sample);
}

/** Those that are known by their own looks; the others are given away by the name in front of them, their form or the text around them. */
export const BY_LOOKS: readonly string[] = ["prefixed", "jwt", "pem", "url", "header"];

/** The share of samples for which it holds, and the rules of the others. */
export function shareOf(samples: readonly Sample[], holds: (sample: Sample) => boolean) {
  const missed = samples.filter((sample) => !holds(sample));
  return { of: samples.length, share: 1 - missed.length / samples.length, missed: [...new Set(missed.map(({ rule }) => rule))] };
}
