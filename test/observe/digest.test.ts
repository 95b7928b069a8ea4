/** Digests: equal for equal values only, and worth nothing without the key. */
import { expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { argumentDigest, canonicalHash } from "../../src/observe/digest.ts";
import { createVault } from "../../src/secrets/vault.ts";

const key = new Uint8Array(32).fill(3);

test("an argument digest is the HMAC-SHA-256 of the canonical JSON", () => {
  const expected = createHmac("sha256", key).update('{"a":[1,"é"],"b":null}').digest("hex");
  expect(argumentDigest(key, { b: null, a: [1, "é"] })).toBe(expected);
  expect(argumentDigest(key, { a: [1, "é"], b: null })).toBe(expected);
  expect(argumentDigest(new Uint8Array(32), { b: null, a: [1, "é"] })).not.toBe(expected);
});

test("two secrets in the same field give two digests", () => {
  const vault = createVault({ key });
  const secrets = ["first-secret-value", "second-secret-value"];
  vault.configure(secrets.map((value) => ({ name: value, value })));
  const calls = secrets.map((token) => ({ url: "https://example.org", token }));
  expect(new Set(calls.map((call) => argumentDigest(key, call))).size).toBe(2);
  // And what was read as a marker and revealed counts as the original.
  const read = vault.conceal(calls[0] ?? {}, { session: "s_1", server: "web" });
  const sent = vault.reveal(read.value, { session: "s_1", server: "web" });
  expect(sent.ok && argumentDigest(key, sent.value)).toBe(argumentDigest(key, calls[0]));
});

test("values that UTF-8 cannot tell apart have digests of their own", () => {
  expect(new Set(["\ud800", "\udc00", "\ufffd", "\\ud800"].map((text) => argumentDigest(key, { text }))).size).toBe(4);
});

test("a definition's hash covers everything declared, in any order of keys", () => {
  const definition = { name: "t", description: "d", inputSchema: { type: "object" }, annotations: { readOnlyHint: true }, _meta: { v: 1 } };
  const text = '{"_meta":{"v":1},"annotations":{"readOnlyHint":true},"description":"d","inputSchema":{"type":"object"},"name":"t"}';
  expect(canonicalHash(definition)).toBe(createHash("sha256").update(text).digest("hex"));
  const changed = [
    { ...definition, name: "u" },
    { ...definition, title: "T" },
    { ...definition, description: "D" },
    { ...definition, inputSchema: { type: "object", properties: {} } },
    { ...definition, outputSchema: { type: "object" } },
    { ...definition, annotations: { readOnlyHint: false } },
    { ...definition, _meta: { v: 2 } },
    { ...definition, unknown: 1 },
  ];
  expect(new Set([definition, ...changed].map(canonicalHash)).size).toBe(changed.length + 1);
});
