/** The vault: what it hides, what it leaves alone, and where it gives an original back. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formsOf } from "../../src/secrets/forms.ts";
import { createVault, type Family } from "../../src/secrets/vault.ts";

const key = new Uint8Array(32).fill(7);
const CANARY = 'cnry+Zq/81 wX?&é"\\kk';
const PLAIN = "tok-4f9aQ81LmZx7";
const here = { session: "s_1", server: "files" };

const vaultWith = (...values: string[]) => {
  const vault = createVault({ key });
  expect(vault.configure(values.map((value, index) => ({ name: `secret ${index}`, value })))).toEqual([]);
  return vault;
};

describe("concealing", () => {
  const encodings: Record<string, (text: string) => string> = {
    plain: (text) => text,
    "JSON once": (text) => JSON.stringify({ text }),
    "JSON twice": (text) => JSON.stringify({ text: JSON.stringify({ text }) }),
    "JSON with escaped slashes": (text) => JSON.stringify(text).replaceAll("/", "\\/"),
    "JSON as ASCII": (text) => JSON.stringify(text).replace("é", "\\u00e9"),
    "JSON as .NET writes it": (text) =>
      JSON.stringify(text).slice(1, -1).replace('\\"', "\\u0022").replace("é", "\\u00E9").replace("+", "\\u002B").replace("&", "\\u0026"),
    "JSON as Go writes it": (text) => JSON.stringify(text).replace("&", "\\u0026"),
    "URL component": (text) => `https://example.org/?q=${encodeURIComponent(text)}&r=1`,
    "URL form": (text) => new URLSearchParams({ q: text }).toString(),
    "URL in lower case": (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase()),
    encodeURI: (text) => encodeURI(text),
    hex: (text) => Buffer.from(text).toString("hex"),
    "upper-case hex": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  };
  for (const [name, encode] of Object.entries(encodings)) {
    test(`finds a secret written as ${name}`, () => {
      const vault = vaultWith(CANARY);
      const encoded = encode(CANARY);
      const { value, found } = vault.conceal({ a: [{ b: `before ${encoded} after` }] }, here);
      expect(found).toBe(1);
      const text = value.a[0]?.b ?? "";
      expect(text).toMatch(/^before .*\[REDACTED secret #[0-9a-f]{8}\].* after$/s);
      for (const form of formsOf(CANARY)) expect(text).not.toContain(form.text);
    });
  }

  for (const encoding of ["base64", "base64url"] as const) {
    test(`finds a secret at every place inside ${encoding}, and leaves not one character that depends on it`, () => {
      // Two secrets that differ in every byte must leave the same text around the marker.
      const secrets = [
        "\u0000\u007f\u0000\u007f\u0000\u007f\u0000\u007f\u0000\u007f",
        "\u007f\u0000\u007f\u0000\u007f\u0000\u007f\u0000\u007f\u0000",
      ];
      for (let lead = 0; lead < 7; lead += 1) {
        for (let tail = 0; tail < 7; tail += 1) {
          const left = secrets.map((secret) => {
            const encoded = Buffer.from("l".repeat(lead) + secret + "t".repeat(tail)).toString(encoding);
            const { value, found } = vaultWith(secret).conceal(encoded, here);
            expect(found).toBe(1);
            return value.replace(/\[REDACTED secret #[0-9a-f]{8}\]/, "|");
          });
          expect(left[0]).toBe(left[1] ?? "");
        }
      }
    });
  }

  test("gives one value the same marker everywhere, also after a restart, and another under another key", () => {
    const [first, second] = [vaultWith(PLAIN), vaultWith("other-secret-1", PLAIN)];
    const marker = first.redactText(PLAIN);
    expect(marker).toMatch(/^\[REDACTED secret #[0-9a-f]{8}\]$/);
    expect(first.conceal([PLAIN, `x${PLAIN}`], { session: "s_2" }).value).toEqual([marker, `x${marker}`]);
    expect(second.redactText(PLAIN)).toBe(marker);
    const foreign = createVault({ key: new Uint8Array(32).fill(8) });
    foreign.register([{ name: "t", value: PLAIN }]);
    expect(foreign.redactText(PLAIN)).not.toBe(marker);
    expect(first.redactText("other-secret-1")).toBe("other-secret-1");
  });

  test("returns the very same object when there is nothing to hide", () => {
    const value = { a: [1, null, true, { b: "ordinary text, long enough" }], c: "" };
    expect(vaultWith(PLAIN).conceal(value, here)).toEqual({ value, found: 0 });
    expect(vaultWith(PLAIN).conceal(value, here).value).toBe(value);
    expect(createVault({ key }).conceal(value, here).value).toBe(value);
  });

  test("copies only the branch that holds a secret and never alters its input", () => {
    const input = { clean: { a: "x" }, dirty: [{ b: PLAIN }, { c: 1 }] };
    const snapshot = structuredClone(input);
    const { value, found } = vaultWith(PLAIN).conceal(input, here);
    expect(found).toBe(1);
    expect(value.clean).toBe(input.clean);
    expect(value.dirty[1]).toBe(input.dirty[1]);
    expect(value.dirty[0]).not.toBe(input.dirty[0]);
    expect(input).toEqual(snapshot);
  });

  test("keeps a member called __proto__ an ordinary member", () => {
    const input: object = JSON.parse(`{"__proto__":{"t":"${PLAIN}"},"z":1}`);
    const { value } = vaultWith(PLAIN).conceal(input, here);
    expect(Object.keys(value)).toEqual(["__proto__", "z"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).not.toContain(PLAIN);
  });

  test("hides overlapping and nested secrets whole", () => {
    const vault = vaultWith("abcdefgh12", "12345678zz", "abcdefgh1234567890", "abcdefgh");
    expect(vault.conceal("<abcdefgh12345678zz>", here).value).toMatch(/^<\[REDACTED secret #[0-9a-f]{8}\]>$/);
    expect(vault.conceal("<abcdefgh13>", here).value).toMatch(/^<\[REDACTED secret #[0-9a-f]{8}\]13>$/);
    expect(vault.conceal("<abcdefgh1234567890>", here).value).toMatch(/^<\[REDACTED secret #[0-9a-f]{8}\]>$/);
  });

  test("finds every one of many secrets with the same beginning", () => {
    const values = Array.from({ length: 500 }, (_, index) => `sk-proj-0000000000-${index}-${"x".repeat(index % 9)}`);
    const vault = vaultWith(...values);
    for (const value of values) expect(vault.redactText(`a ${value} b`)).toMatch(/^a \[REDACTED secret #[0-9a-f]{8}\] b$/);
    expect(vault.redactText("sk-proj-0000000000-")).toBe("sk-proj-0000000000-");
  });

  test("does not mind line ends and white space around a secret that came from a file", () => {
    const vault = vaultWith("\nfirst line\r\nsecond line\n");
    for (const text of ["first line\nsecond line", "first line\r\nsecond line", JSON.stringify("first line\nsecond line\n")]) {
      expect(vault.redactText(text)).not.toContain("second");
    }
  });

  test("leaves keys, numbers, base64 media and the schemas of definitions alone", () => {
    const vault = vaultWith("QUJDREVGR0hJSktM", "12345678");
    const schema = { type: "object", properties: { a: { const: "QUJDREVGR0hJSktM" } } };
    const value = {
      QUJDREVGR0hJSktM: 12345678,
      content: [
        { type: "image", mimeType: "image/png", data: "QUJDREVGR0hJSktM" },
        { type: "audio", mimeType: "audio/wav", data: "QUJDREVGR0hJSktM" },
        { type: "resource", resource: { uri: "file:///a", mimeType: "application/zip", blob: "QUJDREVGR0hJSktM" } },
      ],
      tools: [{ name: "t", inputSchema: schema, outputSchema: schema }],
      request: { message: "m", requestedSchema: schema },
    };
    expect(vault.conceal(value, here).value).toBe(value);
  });

  test("is not talked out of it by the mere name of a key", () => {
    const vault = vaultWith(PLAIN);
    const value = {
      data: PLAIN,
      blob: PLAIN,
      inputSchema: { type: "object", default: PLAIN },
      image: { type: "image", mimeType: "image/png", data: PLAIN },
      resource: { uri: "file:///a", blob: `${PLAIN}===` },
    };
    expect(JSON.stringify(vault.conceal(value, here).value)).not.toContain(PLAIN);
  });

  test("leaves sums, ids and YAML lines byte for byte", () => {
    const vault = vaultWith(PLAIN, CANARY, "hunter2hunter2");
    const texts = [
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  file.txt",
      "123e4567-e89b-12d3-a456-426614174000",
      "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
      "db:\n  user: admin\n  password: change-me-later\n",
      "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    ];
    expect(vault.conceal(texts, here).value).toBe(texts);
  });

  test("withholds what is nested too deep to look through", () => {
    let value: unknown = PLAIN;
    for (let depth = 0; depth < 20_000; depth += 1) value = [value];
    const { value: concealed, found } = vaultWith(PLAIN).conceal(value, here);
    expect(found).toBe(1);
    expect(JSON.stringify(concealed)).toContain("[WITHHELD: nested deeper than 512 levels]");
    expect(JSON.stringify(concealed)).not.toContain(PLAIN);
  });

  test("never leaves a secret in any string of any value", () => {
    const secret = fc
      .string({ unit: "grapheme", minLength: 8, maxLength: 40 })
      .filter((text) => createVault({ key }).configure([{ name: "s", value: text }]).length === 0);
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        fc.array(fc.string(), { maxLength: 6 }),
        (secrets, picks, fillers) => {
          const vault = vaultWith(...secrets);
          const pick = <T>(from: readonly T[]): T | undefined => from[(picks.next().value ?? 0) % from.length];
          const leaf = () => {
            const form = pick(formsOf(pick(secrets) ?? ""));
            return `${pick(fillers) ?? ""}${form?.text ?? ""}${pick(fillers) ?? ""}`;
          };
          const value = { a: [leaf(), { b: leaf() }], c: leaf(), d: leaf() + leaf() };
          const { value: concealed, found } = vault.conceal(value, here);
          expect(found).toBeGreaterThanOrEqual(4);
          const withoutMarkers = [...concealed.a.map((each) => (typeof each === "string" ? each : each.b)), concealed.c, concealed.d]
            .join("\n")
            .replace(/\[REDACTED secret #[0-9a-f]{8}\]/g, "\n\u0001\n");
          for (const { text } of secrets.flatMap((each) => formsOf(each))) expect(withoutMarkers).not.toContain(text);
          expect(vault.reveal(concealed, here)).toEqual({ ok: true, value });
        },
      ),
      { numRuns: 300 },
    );
  });
});

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
    const whole: Family = { name: "whole", find: (text) => [[0, text.length]] };
    const vault = createVault({ key, families: [whole] });
    const marker = vault.conceal("a [REDACTED secret #0badf00d]", here).value;
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

  test("asks pattern families too, and reveals what they hid like any other secret", () => {
    const digits: Family = {
      name: "pin",
      *find(text) {
        for (const match of text.matchAll(/pin=(\d{4})/g)) yield [match.index + 4, match.index + 8] as const;
      },
    };
    const vault = createVault({ key, families: [digits] });
    const { value, found } = vault.conceal({ a: "pin=1234 pin=1234 pin=9876" }, here);
    expect(found).toBe(3);
    expect(value.a).toMatch(/^pin=(\[REDACTED pin #[0-9a-f]{8}\]) pin=\1 pin=\[REDACTED pin #[0-9a-f]{8}\]$/);
    expect(vault.reveal(value, here)).toEqual({ ok: true, value: { a: "pin=1234 pin=1234 pin=9876" } });
  });
});
