/** Credentials with a form of their own: tokens of three parts, private keys, services without a prefix. */
import { describe, expect, test } from "bun:test";
import { walk } from "./made.ts";
import { scrub } from "./scrubbed.ts";

const URL64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE64 = URL64.replace("-_", "+/");
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (header: object, claims: object) => `${encoded(header)}.${encoded(claims)}.${walk(URL64, 43)}`;
const signed = jwt({ alg: "HS256", typ: "JWT" }, { sub: "somebody", iat: 1_700_000_000 });
const dashes = "-".repeat(5);
const pem = (label: string, lines: number, end = "\n") =>
  [
    `${dashes}BEGIN ${label}${dashes}`,
    ...Array.from({ length: lines }, (_, index) => walk(BASE64, 64, index + 1)),
    `${dashes}END ${label}${dashes}`,
  ].join(end);

describe("JSON Web Tokens", () => {
  test("signed, unsigned and encrypted ones are found wherever they stand", () => {
    expect(scrub(`t: ${signed}, next`)).toBe("t: <jwt>, next");
    expect(scrub(`[url](https://example.org/?jwt=${signed})`)).toBe("[url](https://example.org/?jwt=<jwt>)");
    expect(scrub(`${encoded({ alg: "none" })}.${encoded({ sub: "someone" })}.`)).toBe("<jwt>");
    const encrypted = [encoded({ alg: "dir", enc: "A256GCM" }), "", walk(URL64, 16), walk(URL64, 60), walk(URL64, 22)].join(".");
    expect(scrub(encrypted)).toBe("<jwt>");
  });

  test("a header alone, dotted names and base64 of JSON stay", () => {
    for (const text of [
      encoded({ alg: "HS256", typ: "JWT", kid: "1" }),
      "eyelashextensionsupply.eyewear.example",
      `data:application/json;base64,${encoded({ a: "some words in here" })}`,
      `${encoded({ alg: "HS256", typ: "JWT" })}.txt`,
    ])
      expect(scrub(text)).toBe(text);
  });
});

describe("private keys", () => {
  for (const label of [
    "PRIVATE KEY",
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
  ]) {
    test(`${label}: whole, with any line ends, indented, escaped`, () => {
      for (const end of ["\n", "\r\n", "\\n", "\\\\n", "\n    ", " "]) expect(scrub(`a ${pem(label, 3, end)} b`)).toBe("a <private-key> b");
    });
  }

  test("one that was cut off is hidden as far as its lines reach", () => {
    const cut = pem("RSA PRIVATE KEY", 4).slice(0, 200);
    expect(scrub(`${cut}\nthe rest of a log`)).toBe("<private-key>\nthe rest of a log");
  });

  test("public keys, certificates, and programs that name the lines stay", () => {
    for (const text of [
      pem("CERTIFICATE", 3),
      pem("PUBLIC KEY", 3),
      `ssh-ed25519 ${walk(BASE64, 68)} build@example`,
      `const begin = "${dashes}BEGIN PRIVATE KEY${dashes}";\nconst end = "${dashes}END PRIVATE KEY${dashes}";`,
      `${dashes}BEGIN PRIVATE KEY${dashes} is how it starts`,
    ])
      expect(scrub(text)).toBe(text);
  });
});

describe("services", () => {
  test("Telegram, Azure, Discord, Facebook", () => {
    expect(scrub(`https://api.telegram.org/bot12345678:A${walk(URL64, 34)}/getMe`)).toBe("https://api.telegram.org/bot<telegram>/getMe");
    expect(scrub(`12345678:A${walk(URL64, 34)} is a bot`)).toBe("<telegram> is a bot");
    expect(scrub(`it says ab~8Q~${walk(URL64, 34)}.`)).toBe("it says <azure>.");
    expect(
      scrub(`bot ${Buffer.from("1234567890123456789").toString("base64").slice(0, 24)}.${walk(URL64, 6)}.${walk(URL64, 38)} runs`),
    ).toBe("bot <discord> runs");
    expect(scrub(`id 1308742762616545|${walk(URL64, 27)} there`)).toBe("id <facebook> there");
  });

  test("times, ratios, paths with tildes, tables and versions stay", () => {
    for (const text of [
      "12345678:About",
      "12:34:56",
      "a | 1234567890123456|b",
      "https://example.org/~user/8Q~x",
      "Module.Name.Function",
      "MTAx.abcdef.short",
    ]) {
      expect(scrub(text)).toBe(text);
    }
  });
});
