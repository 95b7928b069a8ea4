/** The vault: where it gives an original back, and which secrets it looks for. */
import { describe, expect, test } from "bun:test";
import { createVault, type Patterns } from "../../src/secrets/vault.ts";
import { CANARY, here, key, PLAIN, vaultWith } from "./vault-fixture.ts";

describe("revealing", () => {
  test("brings a secret back byte for byte: read, edit, write", () => {
    const vault = vaultWith(CANARY);
    const file = `url=${encodeURIComponent(CANARY)}\nplain=${CANARY}\nbasic=${Buffer.from(`user:${CANARY}`).toString("base64")}\n`;
    const read = vault.conceal({ content: [{ type: "text", text: file }] }, here);
    expect(read.found).toBe(3);
    const edited = `# edited $& $1\n${read.value.content[0]?.text ?? ""}`;
    expect(vault.reveal({ path: "a", text: edited }, here)).toEqual({ ok: true, value: { path: "a", text: `# edited $& $1\n${file}` } });
  });

  test("refuses another server, another session, a forgotten session and a server that is gone", () => {
    const vault = vaultWith(PLAIN);
    const marker = vault.conceal(PLAIN, here).value;
    const args = { nested: [{ text: `a ${marker}` }] };
    expect(vault.reveal(args, here)).toEqual({ ok: true, value: { nested: [{ text: `a ${PLAIN}` }] } });
    for (const scope of [
      { ...here, server: "echo" },
      { ...here, session: "s_2" },
    ]) {
      const refusal = vault.reveal(args, scope);
      expect(refusal).toMatchObject({ ok: false, message: expect.stringContaining("contains a redacted value") });
      expect(JSON.stringify(refusal)).not.toContain(PLAIN);
    }
    vault.conceal(PLAIN, { session: "s_1", server: "second" });
    vault.forgetServer("files");
    expect(vault.reveal(args, here).ok).toBe(false);
    expect(vault.reveal(args, { session: "s_1", server: "second" }).ok).toBe(true);
    vault.forget("s_1");
    expect(vault.reveal(args, { session: "s_1", server: "second" }).ok).toBe(false);
  });

  test("gives nothing for the names and markers of configured secrets that no server returned", () => {
    const vault = vaultWith(PLAIN, CANARY);
    for (const secret of [PLAIN, CANARY]) {
      const marker = vault.redactText(secret);
      expect(vault.conceal({ text: secret }, { session: "s_1" }).found).toBe(1);
      expect(vault.reveal({ text: marker }, here).ok).toBe(false);
    }
    for (const name of vault.names()) {
      const args = { $secret: name, text: `\${secret:${name}} {"$result":"c_1"}` };
      const revealed = vault.reveal(args, here);
      expect(revealed.ok && revealed.value).toBe(args);
    }
  });

  test("sends no marker on, whoever wrote it and wherever it stands", () => {
    const vault = vaultWith(PLAIN);
    const fake = "[REDACTED secret #0badf00d]";
    for (const args of [{ a: fake }, { a: [{ b: `x${fake}y` }] }, { [fake]: 1 }, { type: "image", mimeType: "image/png", data: fake }]) {
      expect(vault.reveal(args, here)).toMatchObject({ ok: false, message: expect.stringContaining(fake) });
    }
    for (const text of ["[REDACTED]", "[REDACTED secret #0badf00]", "[redacted secret #0badf00d]", "[REDACTED Secret #0badf00d]"]) {
      expect(vault.reveal({ text }, here)).toEqual({ ok: true, value: { text } });
    }
  });

  test("refuses when an original would complete another marker", () => {
    const vault = vaultWith("aaaaaaaa");
    const marker = vault.conceal("aaaaaaaa", here).value;
    expect(vault.reveal({ a: `[REDACTED ${marker} #0badf00d]` }, here).ok).toBe(false);
  });

  test("refuses when an original holds a marker itself", () => {
    const vault = vaultWith("a [REDACTED secret #0badf00d]");
    const marker = vault.conceal("a [REDACTED secret #0badf00d]", here).value;
    expect(marker).toMatch(/^\[REDACTED secret #(?!0badf00d)/);
    expect(vault.reveal({ a: marker }, here).ok).toBe(false);
  });

  test("does not remember a server's text that only looks like a marker", () => {
    const vault = vaultWith(PLAIN);
    const text = "[REDACTED secret #0badf00d]";
    expect(vault.conceal({ text }, here).found).toBe(0);
    expect(vault.reveal({ text }, here).ok).toBe(false);
  });

  test("forgets the oldest first when a session or the whole memory is full", () => {
    const vault = createVault({ key, limits: { entriesPerSession: 3, sessions: 2 } });
    const values = Array.from({ length: 5 }, (_, index) => `secret-value-${index}`);
    vault.configure(values.map((value) => ({ name: value, value })));
    const known = (session: string) =>
      values.filter((value) => vault.reveal({ a: vault.redactText(value) }, { session, server: "files" }).ok);
    for (const value of values.slice(0, 3)) vault.conceal(value, here);
    vault.reveal({ a: vault.redactText(values[0] ?? "") }, here);
    vault.conceal(values[3], here);
    expect(known("s_1")).toEqual(["secret-value-0", "secret-value-2", "secret-value-3"]);
    vault.conceal(values[1], { session: "s_2", server: "files" });
    vault.conceal(values[1], { session: "s_3", server: "files" });
    expect([known("s_1"), known("s_2"), known("s_3")]).toEqual([[], ["secret-value-1"], ["secret-value-1"]]);
  });
});

describe("the set of secrets", () => {
  test("configure replaces what was configured and keeps what was registered", () => {
    const vault = vaultWith("configured-1");
    vault.register([{ name: "dynamic", value: "dynamic-value", family: "answer" }]);
    vault.configure([{ name: "second", value: "configured-2" }]);
    expect(vault.redactText("configured-1")).toBe("configured-1");
    expect(vault.redactText("configured-2")).toMatch(/^\[REDACTED secret #/);
    expect(vault.redactText("dynamic-value")).toMatch(/^\[REDACTED answer #/);
    expect(vault.names()).toEqual(["dynamic", "second"]);
  });

  test("of secrets that follow each other the latest are looked for, whatever is configured and whoever else has as many", () => {
    const vault = vaultWith("configured-1");
    const token = (owner: string, n: number) => `token-of-${owner}-number-${n}!`;
    for (let n = 1; n <= 20; n++)
      for (const owner of ["one", "two"]) expect(vault.hold(owner, [{ name: owner, value: token(owner, n), family: "oauth" }])).toEqual([]);
    vault.configure([]);
    for (const owner of ["one", "two"]) {
      expect(vault.redactText(token(owner, 20))).toMatch(/^\[REDACTED oauth #/);
      expect(vault.redactText(token(owner, 9))).toMatch(/^\[REDACTED oauth #/);
      expect(vault.redactText(token(owner, 8))).toBe(token(owner, 8));
    }
    expect(vault.names()).toEqual(["one", "two"]);
    expect(vault.hold("one", [{ name: "short", value: "1234567" }])).toEqual([{ name: "short", reason: "shorter than 8 characters" }]);
  });

  test("a set that cannot be used leaves the one before in place; a value may have two names", () => {
    const vault = vaultWith(PLAIN);
    expect(() => vault.configure([{ name: "x", value: "other-secret", family: "a]b" }])).toThrow(TypeError);
    expect(vault.redactText(PLAIN)).not.toBe(PLAIN);
    vault.register([
      { name: "b", value: CANARY },
      { name: "a", value: `${CANARY}\n` },
    ]);
    expect(vault.names()).toEqual(["a", "b", "secret 0"]);
  });

  test("refuses what is too short or would stand in its own marker, and says so without the value", () => {
    const vault = createVault({ key });
    const refused = vault.configure([
      { name: "short", value: " 1234567 " },
      { name: "word", value: "REDACTED" },
      { name: "good", value: "12345678" },
    ]);
    expect(refused.map(({ name }) => name)).toEqual(["short", "word"]);
    expect(JSON.stringify(refused)).not.toContain("1234567");
    expect(vault.names()).toEqual(["good"]);
    expect(() => vault.register([{ name: "x", value: "12345678", family: "a]b" }])).toThrow(TypeError);
  });

  test("refuses what would make the search slow or the memory large", () => {
    const vault = createVault({ key });
    const refused = vault.register([
      { name: "one letter", value: "a".repeat(2_000) },
      { name: "large", value: Array.from({ length: 60_000 }, (_, index) => index).join() },
      { name: "lines", value: Array.from({ length: 100 }, (_, index) => `some.key.number.${index}=value`).join("\n") },
    ]);
    expect(refused.map(({ name }) => name)).toEqual(["one letter", "large"]);
    expect(vault.names()).toEqual(["lines"]);
  });

  test("asks patterns too, and reveals what they found like any other secret", () => {
    const pins: Patterns = {
      families: ["pin"],
      find(text, _name, found) {
        for (const { index } of text.matchAll(/pin=(\d{4})/g)) found(index + 4, index + 8, "pin");
      },
    };
    const vault = createVault({ key, patterns: pins });
    const { value, found } = vault.conceal({ a: "pin=1234 pin=1234 pin=9876" }, here);
    expect(found).toBe(3);
    expect(value.a).toMatch(/^pin=(\[REDACTED pin #[0-9a-f]{8}\]) pin=\1 pin=\[REDACTED pin #[0-9a-f]{8}\]$/);
    expect(vault.reveal(value, here)).toEqual({ ok: true, value: { a: "pin=1234 pin=1234 pin=9876" } });
  });
});
