/** Secrets that were in the configuration: whoever was given them may still answer with them. */
import { expect, test } from "bun:test";
import { createVault } from "../../src/secrets/vault.ts";

const key = new Uint8Array(32).fill(1);
const secret = (n: number) => ({ name: `KEY_${n}`, value: `secret-number-${String(n).padStart(5, "0")}` });

test("a secret that is retained is looked for after the configuration has another", () => {
  const vault = createVault({ key });
  vault.configure([secret(1)]);
  vault.retain([secret(1)]);
  vault.configure([secret(2)]);
  expect(vault.redactText(`${secret(1).value} ${secret(2).value}`)).toMatch(/^\[REDACTED secret #\w+\] \[REDACTED secret #\w+\]$/);
  expect(vault.names()).toEqual(["KEY_1", "KEY_2"]);
});

test("one that the configuration gives up without a word is not", () => {
  const vault = createVault({ key });
  vault.configure([secret(1)]);
  vault.configure([]);
  expect(vault.redactText(secret(1).value)).toBe(secret(1).value);
});

test("the newest thousand are retained, and one that comes again is new again", () => {
  const vault = createVault({ key });
  const all = Array.from({ length: 1000 }, (_, n) => secret(n));
  vault.retain(all);
  vault.retain([secret(0)]);
  vault.retain([secret(1000)]);
  const isFound = (n: number) => vault.redactText(secret(n).value) !== secret(n).value;
  expect([0, 1, 2, 999, 1000].map(isFound)).toEqual([true, false, true, true, true]);
});
