/** Tokens that are known by their prefix: every rule of the table, with a token made from its own facts. */
import { describe, expect, test } from "bun:test";
import { alphabet, CLASSES } from "../../src/secrets/alphabet.ts";
import { RULES } from "../../src/secrets/families.ts";
import { familyOf } from "../../src/secrets/patterns.ts";
import { tokenOf } from "./made.ts";
import { scrub } from "./scrubbed.ts";

describe.each([...RULES])("$family $prefix", (rule) => {
  const token = tokenOf(rule);
  const longest = Number.isFinite(rule.most) ? tokenOf(rule, rule.most, 3) : tokenOf(rule, rule.least * 2, 3);

  test("is found alone, in a sentence, and behind an escape", () => {
    expect(familyOf(token)).toBe(rule.family);
    expect(familyOf(longest)).toBe(rule.family);
    for (const [before, after] of [
      ["", ""],
      ["say ", " twice"],
      ['{"a":"', '"}'],
      ["a\\n", "\\nb"],
      ["q=x%20", "&r=1"],
      ["(", ")"],
    ]) {
      expect(scrub(`${before}${token}${after}`)).toBe(`${before}<${rule.family}>${after}`);
    }
  });

  test("is nothing when it is too short, a line of one letter, or a piece of a longer word", () => {
    const cut = token.slice(0, rule.prefix.length + Math.min(rule.least - 1, 6));
    expect(familyOf(cut)).toBeUndefined();
    const filled = rule.prefix + "x".repeat(rule.least);
    expect(scrub(filled)).toBe(filled);
    expect(scrub(`Z${token}`)).not.toBe(`Z<${rule.family}>`);
    if (rule.strict && Number.isFinite(rule.most))
      expect(scrub(`${tokenOf(rule, rule.most)}${"Zq8".repeat(40)}`)).not.toStartWith(`<${rule.family}>`);
  });
});

test("lines of the table are well-formed: every mark has a class, no prefix is given twice for the same alphabet and length", () => {
  const seen = new Set<string>();
  for (const { family, prefix, alphabet: bits, least, most } of RULES) {
    expect(family).toMatch(/^[a-z0-9][a-z0-9-]{0,31}$/);
    expect(bits).toBeGreaterThan(0);
    expect(least).toBeGreaterThan(0);
    expect(most).toBeGreaterThanOrEqual(least);
    const line = `${prefix} ${bits} ${least}`;
    expect(seen.has(line) ? line : "").toBe("");
    seen.add(line);
  }
  expect(RULES.length).toBeGreaterThan(150);
  expect(CLASSES["_".charCodeAt(0)]! & alphabet("9aA")).toBe(0);
});

test("the example keys of documentation stay", () => {
  const example = `AKIA${"IOSFODNN7"}EXAMPLE`;
  expect(scrub(`aws_access_key_id = ${example}`)).toBe(`aws_access_key_id = ${example}`);
});
