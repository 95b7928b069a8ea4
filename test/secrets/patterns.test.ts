/** What holds for everything that patterns find, whatever the text is. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RULES } from "../../src/secrets/families.ts";
import { markersIn } from "../../src/secrets/marker.ts";
import { familyOf, patterns } from "../../src/secrets/patterns.ts";
import { random, tokenOf, walk } from "./made.ts";
import { scrub, vaultWithPatterns } from "./scrubbed.ts";
import { here } from "./vault-fixture.ts";

const token = fc.tuple(fc.constantFrom(...RULES), fc.nat(9)).map(([rule, seed]) => tokenOf(rule, rule.least, seed + 1));
const glue = fc.constantFrom(
  ...'password= |api_key: |"token":"|","|://user:|@host/|Authorization: Bearer |Cookie: sid=|curl -u a:|--token |<secret>|</secret>|value='.split(
    "|",
  ),
  ..."\n|\\n|\\\"|%20| |=|:|-|_|.|/|'|`|;|é|€|🔑|\ud800|[REDACTED github #0badf00d]|kind: Secret\ndata:\n  a: ".split("|"),
);
const piece = fc.oneof(token, random, glue, glue, fc.string({ maxLength: 12 }));
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
const name = fc.constantFrom(undefined, "password", "token", "key", "authorization", "cookie", "auth", "note");

describe("whatever the text", () => {
  test("what is found lies in it, and is named after a family that was announced", () => {
    fc.assert(
      fc.property(text, name, (each, member) => {
        patterns.find(each, member, (start, end, family) => {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(each.length);
          expect(patterns.families).toContain(family);
          return end;
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test("scrubbing twice is scrubbing once, and no marker is hidden again", () => {
    fc.assert(
      fc.property(text, name, (each, member) => {
        const vault = vaultWithPatterns();
        const value = { [member ?? "text"]: each };
        const once = vault.conceal(value, here).value;
        expect(vault.conceal(once, here)).toEqual({ value: once, found: 0 });
        expect(vault.conceal(once, here).value).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  test("the kept and the hidden pieces together are the text", () => {
    fc.assert(
      fc.property(text, name, (each, member) => {
        fc.pre(markersIn(each).length === 0);
        const vault = vaultWithPatterns();
        const value = { [member ?? "text"]: each };
        const { value: concealed } = vault.conceal(value, here);
        expect(vault.reveal(concealed, here)).toEqual({ ok: true, value });
      }),
      { numRuns: 1_000 },
    );
  });

  test("a token is gone, whatever stands around it", () => {
    fc.assert(
      fc.property(token, fc.constantFrom(" ", "\n", '"', "(", "\\n"), text, text, (each, border, before, after) => {
        expect(scrub(`${before}${border}${each} ${after}`)).not.toContain(`${border}${each} `);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("a text without a secret is the very same object", () => {
  const vault = vaultWithPatterns();
  const value = { a: [`sum ${walk("0123456789abcdef", 64)}`, "123e4567-e89b-12d3-a456-426614174000", 7], user: "root" };
  expect(vault.conceal(value, here)).toEqual({ value, found: 0 });
  expect(vault.conceal(value, here).value).toBe(value);
});

test("long texts made to be read again and again are read to their end", () => {
  const seeds = [
    "token=",
    'token="a',
    "key='b\" ",
    "ghp_-",
    "eyJ-",
    "a://b:",
    `${"-".repeat(5)}BEGIN PRIVATE KEY${"-".repeat(5)}`,
    "-u a:b ",
    "cookie: a=b;",
  ];
  for (const seed of [
    ...seeds,
    "authorization: ",
    "password:a1",
    "1:A",
    "<token>",
    "s.",
    "MTA.",
    "--token ",
    "kind: Secret\n",
    "[REDACTED x #0badf00d]",
  ]) {
    const long = `curl ${seed.repeat(200_000 / seed.length)} ${tokenOf(RULES.find(({ family }) => family === "npm") ?? RULES[0]!)}`;
    expect(scrub(long)).toEndWith(" <npm>");
  }
});

describe("the family of a value", () => {
  test("is that of the whole value, white space aside", () => {
    const github = `ghp_${walk("abcdefXYZ0123456789", 36)}`;
    expect(familyOf(github)).toBe("github");
    expect(familyOf(` ${github}\n`)).toBe("github");
    expect(familyOf(`x ${github}`)).toBeUndefined();
    for (const value of ["", "word", "/usr/bin/env", "https://user:pass@example.org", "password=hunter2x"])
      expect(familyOf(value)).toBeUndefined();
  });
});
