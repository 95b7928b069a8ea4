/** Kinds of secrets that an operator has switched off. */
import { expect, test } from "bun:test";
import { RULES } from "../../src/secrets/families.ts";
import { patterns } from "../../src/secrets/patterns.ts";
import { createVault } from "../../src/secrets/vault.ts";
import { tokenOf } from "./made.ts";
import { key } from "./vault-fixture.ts";

const tokenIn = (family: string) => {
  const rule = RULES.find((one) => one.family === family);
  if (!rule) throw new Error(`there is no family ${family}`);
  return tokenOf(rule);
};
const without = (...families: string[]) => {
  const vault = createVault({ key, patterns });
  vault.leaveAlone(families);
  return vault;
};

test("each is left alone, and the others are hidden", () => {
  for (const rule of RULES) {
    const [own, other] = [tokenOf(rule), tokenIn(rule.family === "npm" ? "docker" : "npm")];
    const shown = without(rule.family).redactText(`a ${own} b ${other} c`);
    expect(shown).toContain(own);
    expect(shown).not.toContain(other);
  }
});

test("what is registered is hidden whatever it looks like", () => {
  const vault = without(...patterns.families);
  const token = tokenIn("npm");
  vault.configure([{ name: "TOKEN", value: token }]);
  expect(vault.redactText(`it is ${token}`)).not.toContain(token);
});

test("another kind inside, or around it, is hidden all the same", () => {
  const token = tokenIn("npm");
  for (const text of [`Authorization: Bearer ${token}`, `https://user:${token}@example.com/`, `{"password":"${token}"}`]) {
    for (const off of ["authorization", "uri", "password", "credential"]) expect(without(off).redactText(text)).not.toContain(token);
    const all = without("npm", "authorization", "uri", "password", "credential");
    expect(all.redactText(text)).toBe(text);
  }
});

test("is found again when it is switched on again", () => {
  const vault = without("npm");
  vault.leaveAlone([]);
  expect(vault.redactText(tokenIn("npm"))).toStartWith("[REDACTED npm");
});
