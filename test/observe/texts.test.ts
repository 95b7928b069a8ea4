/** Hosts that stand in texts, however they are written. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostsIn } from "../../src/observe/texts.ts";

test("hosts are found wherever an address stands", () => {
  expect(hostsIn(["see https://a.example.com/x and HTTP://B.example.com:8080?y", '{"u":"https://user@c.example.com"}', "no://x"])).toEqual([
    "a.example.com:443",
    "b.example.com:8080",
    "c.example.com:443",
  ]);
});

describe("hosts that one parser finds and another does not", () => {
  test.each([
    ["http://good.com'@evil.com/", "evil.com:80"],
    ["see http://good.com<@evil.com/", "evil.com:80"],
    ["http://good.com @evil.com/", "evil.com:80"],
    ["http://good.com\\@evil.com/", "evil.com:80"],
    ["http:\\\\evil.com/", "evil.com:80"],
    ["http:/evil.com", "evil.com:80"],
    ["http:evil.com", "evil.com:80"],
    ["ht\ttp://evil.com", "evil.com:80"],
    ["http:/\n/evil.com", "evil.com:80"],
    ["http://good.com\n.evil.com/x", "good.com.evil.com:80"],
    ["ftp://evil.com/x", "evil.com:21"],
    ["say wss://evil.com", "evil.com:443"],
    ['{"u":"http:\\/\\/evil.com\\/x"}', "evil.com:80"],
    [`http://good.com:${"x".repeat(3_000)}@evil.com/`, "(unreadable)"],
    ["http://good.com:99999999/", "(unreadable)"],
  ])("%j names %s", (text, host) => {
    expect(hostsIn([text])).toContain(host);
  });

  test("a list of addresses is a list", () => {
    expect(hostsIn(["http://a.com\nhttp://b.com\nand more"])).toEqual(["a.com:80", "b.com:80"]);
    expect(hostsIn(["http://a.com\nis what I mean, bob"])).toEqual(["a.com:80"]);
  });

  test.each([
    ["see http://a.com.", ["a.com:80"]],
    ["(https://a.com), https://b.com; and https://c.com!", ["a.com:443", "b.com:443", "c.com:443"]],
    ["**https://a.com** “https://b.com” https://c.com… <https://d.com>", ["a.com:443", "b.com:443", "c.com:443", "d.com:443"]],
    ["|https://a.com|http://[::1]|", ["a.com:443", "[::1]:80"]],
    ["https://a.com,https://b.com:8443,http://c.com", ["a.com:443", "b.com:8443", "c.com:80"]],
    ["https://a.com:8443;https://b.com", ["a.com:8443", "b.com:443"]],
    ["http://... or https://…", []],
    ["C:\\Users\\me, /usr/local/bin, file:///etc/hosts, git@a.com:b/c.git, ratio 3:4, http: off", []],
  ])("what ends a sentence or a list is no part of a host: %j", (text, hosts) => {
    expect(hostsIn([text])).toEqual(hosts);
  });

  test.each([
    ["http://good.com,evil.com", "good.com,evil.com:80"],
    ["http://good.com,/x", "good.com,:80"],
    ["http://good.com)@evil.com.", "evil.com:80"],
    ["http://good.com,http@evil.com/", "evil.com:80"],
  ])("what stands inside of it is one: %j names %s", (text, host) => {
    expect(hostsIn([text])).toContain(host);
  });

  test("more of them than are looked at are too many", () => {
    const many = Array.from({ length: 100 }, (_, i) => `http://good.com:${i + 1}/`).join(" ");
    expect(hostsIn([many])).toHaveLength(100);
    expect(hostsIn([`${many} http://evil.com`])).toContain("(too many)");
    expect(hostsIn(["http:/".repeat(50_000)])).toContain("(too many)");
  });

  test("whatever is an address as a whole names its host", () => {
    const part = fc.constantFrom(
      "http",
      "https",
      "ws",
      ":",
      "/",
      "//",
      "\\",
      "@",
      "a.com",
      "b.org",
      ":80",
      "?",
      "#",
      " ",
      "\t",
      "\n",
      "'",
      "%41",
      "é",
      "\u0000",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const url = URL.parse(text);
        if (!url || !/^(https?|wss?):$/.test(url.protocol) || /[\t\r\n]\s*(https?|wss?):/.test(text)) return;
        expect(hostsIn([text]).some((host) => host === `${url.hostname}:${url.port || (/ps:|ss:/.test(url.protocol) ? 443 : 80)}`)).toBe(
          true,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
