/** The vault: what it hides, and what it leaves alone. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formsOf } from "../../src/secrets/forms.ts";
import { createVault } from "../../src/secrets/vault.ts";
import { CANARY, here, key, PLAIN, vaultWith } from "./vault-fixture.ts";

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
