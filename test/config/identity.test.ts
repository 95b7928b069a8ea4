/** Which entries are one server under two names. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { identityHash, normalisedUrl } from "../../src/config/identity.ts";
import { loaded, ref } from "./fixture.ts";

const urls: [written: string, normalised: string][] = [
  ["", ""],
  ["   ", ""],
  [" https://x.example/mcp\n", "https://x.example/mcp"],
  ["HTTPS://X.Example/Mcp", "https://x.example/Mcp"],
  ["https://x.example", "https://x.example"],
  ["https://x.example///", "https://x.example"],
  ["https://x.example/mcp//", "https://x.example/mcp"],
  ["https://x.example/mcp/?A=b/", "https://x.example/mcp?A=b/"],
  ["https://x.example?Q=1", "https://x.example?Q=1"],
  ["https://x.example:8443/a#Part", "https://x.example:8443/a"],
  ["https://Ann:Secret@X.example/", "https://Ann:Secret@x.example"],
  [`https://${ref("env:HOST")}.Example/${ref("env:PATH_OF_IT")}/`, `https://${ref("env:HOST")}.example/${ref("env:PATH_OF_IT")}`],
  [`${ref("file:/run/Url")}`, ref("file:/run/Url")],
  ["Not an address/", "Not an address"],
];

test.each(urls)("%j is the address %j", (written, normalised) => {
  expect(normalisedUrl(written)).toBe(normalised);
});

test("an address that is normalised stays as it is", () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string()), (url) => {
      expect(normalisedUrl(normalisedUrl(url))).toBe(normalisedUrl(url));
    }),
    { examples: [["$ #"], ["$ /"], ["https://x.example/ #part"]] },
  );
});

test("addresses with a hundred thousand slashes are compared at once", () => {
  expect(normalisedUrl(`https://x/${"/".repeat(100_000)}y`)).toEndWith("/y");
});

const hashOf = (entry: object, file = "mcp.json"): string => {
  const { config } = loaded(
    { mcpConfig: file, auth: { corp: { type: "bearer", token: ref("env:T") } } },
    { [file]: { mcpServers: { s: entry } } },
  );
  const placed = config.mcpServers["s"];
  if (!placed) throw new Error("the entry was left out");
  return identityHash({ ...placed, folder: `/${file.includes("/") ? "other" : "folder"}` });
};

const http = { url: "https://x.example/mcp" };
const stdio = { command: "prog", args: ["a", "b"] };

describe("an http server is the same", () => {
  test.each<[string, object]>([
    ["with its type said in another way", { ...http, type: "streamable-http" }],
    ["with the default written out", { ...http, transportMode: "auto", headers: {}, disabled: false }],
    ["with another spelling of its address", { url: "HTTPS://x.EXAMPLE/mcp/" }],
    [
      "whatever its deadline, trust, summary and capabilities",
      { ...http, toolTimeoutMs: 5, trusted: true, summary: "x", tools: { "*": { capability: "read" } } },
    ],
  ])("%s", (_, entry) => {
    expect(hashOf(entry)).toBe(hashOf(http));
  });

  test("with its headers in other order and case, and its lists in other order and case", () => {
    const lists = (...tools: string[]) => ({ allowedTools: tools, deniedTools: tools });
    expect(hashOf({ ...http, headers: { "X-B": "2", "x-a": "1" }, ...lists("b", "a") })).toBe(
      hashOf({ ...http, headers: { "X-A": "1", "x-b": "2" }, ...lists("A", "b") }),
    );
  });

  test("by a short and a long spelling of one variable", () => {
    expect(hashOf({ url: ref("URL") })).toBe(hashOf({ url: ref("env:URL") }));
  });
});

describe("an http server is another one", () => {
  test.each<[string, object]>([
    ["at another path", { url: "https://x.example/MCP" }],
    ["with another query", { url: "https://x.example/mcp?a=1" }],
    ["by another transport", { ...http, transportMode: "sse" }],
    ["with a header", { ...http, headers: { "X-Tenant": "a" } }],
    ["with a profile that shows a token", { ...http, auth: "corp" }],
    ["with some of its tools only", { ...http, allowedTools: ["a"] }],
    ["with some of its tools denied", { ...http, deniedTools: ["a"] }],
    ["where an address is looked up", { url: ref("env:URL") }],
  ])("%s", (_, entry) => {
    expect(hashOf(entry)).not.toBe(hashOf(http));
  });
});

describe("a stdio server", () => {
  test.each<[string, object]>([
    ["of another program", { ...stdio, command: "Prog" }],
    ["with its arguments in other order", { ...stdio, args: ["b", "a"] }],
    ["with its arguments joined", { ...stdio, args: ["ab"] }],
    ["with a variable", { ...stdio, env: { A: "b" } }],
    ["that starts elsewhere", { ...stdio, cwd: "sub" }],
  ])("%s is another one", (_, entry) => {
    expect(hashOf(entry)).not.toBe(hashOf(stdio));
  });

  test("is the same with its variables in other order, and with its folder written out", () => {
    const env = hashOf({ ...stdio, env: { A: "1", B: "2" } });
    expect(hashOf({ ...stdio, env: { B: "2", A: "1" }, cwd: "/folder" })).toBe(env);
  });

  test("is another one in another folder, since its paths start there", () => {
    expect(hashOf(stdio, "sub/mcp.json")).not.toBe(hashOf(stdio));
  });
});

test("the same words for a file mean another file in another folder", () => {
  const entry = { ...http, headers: { Authorization: ref("file:token") } };
  expect(hashOf(entry, "sub/mcp.json")).not.toBe(hashOf(entry));
  expect(hashOf({ ...http, headers: { Authorization: ref("file:/folder/token") } })).toBe(hashOf(entry));
});

test("it is 16 hex digits", () => {
  expect(hashOf(http)).toMatch(/^[0-9a-f]{16}$/);
});
