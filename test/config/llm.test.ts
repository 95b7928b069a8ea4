/** Tiers of `llm`: what is read, what turns one off, what becomes a secret, and what of it may be written down. */
import { describe, expect, test } from "bun:test";
import { redactedConfig } from "../../src/config/redacted.ts";
import { type ResolveOptions, resolveLlm } from "../../src/config/resolve.ts";
import { missingSecrets, writtenSecrets } from "../../src/config/secret-references.ts";
import { errorsOf, load, loaded, ref } from "./fixture.ts";

const tier = { baseUrl: "https://models.example/v1", model: "small" };
const resolved = (llm: object, env: ResolveOptions["env"] = {}) => resolveLlm(loaded({ llm }).config.llm, "/etc/crib", { env });

test("without `llm` there is no tier", () => {
  expect(resolveLlm(loaded({}).config.llm, ".", { env: {} })).toEqual({ tiers: {}, off: {} });
});

test("a tier is where it answers, which model, with what key", () => {
  expect<object>(resolved({ low: { ...tier, apiKey: "/looks/like/a/path" }, high: { ...tier, supportsImageInput: true } }).tiers).toEqual({
    low: {
      ...tier,
      apiKey: "/looks/like/a/path",
      supportsImageInput: false,
      secrets: [{ name: "llm.low.apiKey", value: "/looks/like/a/path", kind: "literal" }],
    },
    high: { ...tier, supportsImageInput: true, secrets: [] },
  });
});

test.each<[object, string]>([
  [{ llm: { lo: tier } }, 'llm.lo: is not a known key (did you mean "low"?)'],
  [{ llm: { low: { ...tier, key: "x" } } }, "llm.low.key: is not a known key (known here: baseUrl, model, apiKey, supportsImageInput)"],
  [{ llm: { low: { model: "m" } } }, "llm.low.baseUrl: is required"],
  [{ llm: { low: { baseUrl: "https://x.example" } } }, "llm.low.model: is required"],
  [{ llm: { low: { ...tier, apiKey: 7 } } }, "llm.low.apiKey: expected a text, found a number"],
])("%j is refused", (file, error) => {
  expect(errorsOf(file)).toContain(error);
});

describe("what cannot be used turns its own tier off", () => {
  test.each<[object, string]>([
    [
      { ...tier, apiKey: ref("env:KEY") },
      `llm.low.apiKey: the environment variable KEY is not set; set it, or write ${ref("env:KEY:-default")}`,
    ],
    [{ ...tier, apiKey: ref("secret:KEY") }, "llm.low.apiKey: the secret KEY is not in the secret store"],
    [{ ...tier, apiKey: "schlüssel" }, "llm.low.apiKey holds a character that cannot be sent: only printable ASCII can"],
    [{ ...tier, baseUrl: "models.example" }, "llm.low.baseUrl has to be an http or https address without a user in it"],
    [{ ...tier, baseUrl: "file:///etc/passwd" }, "llm.low.baseUrl has to be an http or https address without a user in it"],
    [{ ...tier, baseUrl: "https://u:p@models.example" }, "llm.low.baseUrl has to be an http or https address without a user in it"],
    [{ ...tier, model: ref("MODEL:-") }, "llm.low.model is empty"],
  ])("%j", (low, reason) => {
    const { tiers, off } = resolved({ low, high: tier });
    expect(off).toEqual({ low: reason });
    expect(Object.keys(tiers)).toEqual(["high"]);
  });
});

test("an empty key is none", () => {
  expect(resolved({ low: { ...tier, apiKey: ref("KEY:-") } }).tiers.low).toEqual({ ...tier, supportsImageInput: false, secrets: [] });
});

test("what is written down holds references and no literal key", () => {
  const { config } = loaded({ llm: { low: { ...tier, apiKey: "hunter2-hunter2" }, high: { ...tier, apiKey: ref("env:KEY") } } });
  expect<object>(redactedConfig(config).llm).toEqual({
    low: { ...tier, supportsImageInput: false, apiKey: "[REDACTED literal]" },
    high: { ...tier, supportsImageInput: false, apiKey: ref("env:KEY") },
  });
});

test("a key that is not stored, one that is written out, and one that others can read are warned of", () => {
  const result = loaded({ llm: { low: { ...tier, apiKey: ref("secret:KEY") }, high: { ...tier, apiKey: "hunter2-hunter2" } } });
  expect(missingSecrets(result, () => undefined).map(({ path }) => path)).toEqual(["llm.low.apiKey"]);
  expect(writtenSecrets(result).map(({ path }) => path)).toEqual(["llm.high.apiKey"]);
  const warned = (baseUrl: string, more: object = {}) =>
    load({ llm: { low: { ...tier, baseUrl, ...more } } }).warnings.map(({ path, message }) => `${path}: ${message}`);
  expect(warned("http://models.example/v1", { apiKey: ref("env:KEY") })).toEqual([
    "llm.low.baseUrl: is no https address: whoever is on the way can read the key",
  ]);
  expect([...warned("http://models.example/v1"), ...warned("http://127.0.0.1:11434/v1", { apiKey: ref("env:KEY") })]).toEqual([]);
});
