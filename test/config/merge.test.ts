/** One server under two names, and servers that everybody gets. */
import { describe, expect, test } from "bun:test";
import { formatProblem } from "../../src/config/problems.ts";
import { loaded, ref } from "./fixture.ts";

const names = (result: ReturnType<typeof loaded>) => Object.keys(result.config.mcpServers);
const warnings = (result: ReturnType<typeof loaded>) =>
  result.warnings.map(({ path, message }) => `${path}: ${message}`.replace(/\/\S*\//g, ""));

describe("of two entries for one server", () => {
  test("the first by the alphabet stays, case or not, and the warning names both places", () => {
    const result = loaded(
      { mcpServers: { zoo: { url: "https://x.example/mcp" }, Beta: { url: "HTTPS://X.example/mcp/" } } },
      { "mcp.json": '{ "mcpServers": {\n "alpha": { "url": "https://x.example/mcp" } } }' },
    );
    expect(names(result)).toEqual(["alpha"]);
    expect(warnings(result)).toEqual([
      "mcpServers.zoo: is left out: it is the same server as mcpServers.alpha at mcp.json:2:2",
      "mcpServers.Beta: is left out: it is the same server as mcpServers.alpha at mcp.json:2:2",
    ]);
    expect(formatProblem(result.warnings[0] ?? { file: "", line: 0, column: 0, path: "", message: "" })).toContain("toolcrib.jsonc:1:16: ");
  });

  test("the one stays that would be added under its name anyway", () => {
    const url = "https://x.example/mcp";
    const result = loaded({ bridge: { defaultServers: { ZOO: url } }, mcpServers: { alpha: { url }, zoo: { url } } });
    expect(names(result)).toEqual(["zoo"]);
    expect(warnings(result)).toHaveLength(1);
  });

  test("both stay where one of them is disabled, lends other tools, or has other credentials", () => {
    const entry = { command: "prog" };
    const servers = {
      a: { ...entry, disabled: true },
      b: entry,
      c: { ...entry, allowedTools: ["t"] },
      d: { ...entry, env: { TOKEN: ref("env:OTHER") } },
    };
    const result = loaded({ mcpServers: servers });
    expect(names(result)).toEqual(["a", "b", "c", "d"]);
    expect(result.warnings).toEqual([]);
  });
});

describe("a default server", () => {
  const seeds = (defaultServers: object, mcpServers: object = {}) => loaded({ mcpServers, bridge: { defaultServers } });

  test("is added by its address alone, and it is said where it comes from", () => {
    const result = seeds({ docs: "https://docs.example/mcp" });
    expect(result.config.mcpServers["docs"]).toMatchObject({
      kind: "http",
      url: "https://docs.example/mcp",
      mode: "auto",
      headers: {},
      trusted: false,
      disabled: false,
      folder: (result.file ?? "").replace(/\/[^/]*$/, ""),
    });
    expect(result.origins["mcpServers.docs.url"]).toMatchObject({ file: result.file ?? "", line: 1, seeded: true });
    expect(result.warnings).toEqual([]);
  });

  test("is not added where an entry has its address, disabled or with a policy of its own; another name is told", () => {
    const mine = { url: "HTTPS://Docs.example/mcp/", headers: { "X-A": "b" }, disabled: true };
    const same = seeds({ docs: "https://docs.example/mcp" }, { Docs: mine });
    expect(names(same)).toEqual(["Docs"]);
    expect(same.warnings).toEqual([]);
    const other = seeds({ docs: "https://docs.example/mcp" }, { mine });
    expect(other.config.mcpServers["mine"]).toMatchObject({ disabled: true, headers: { "X-A": "b" } });
    expect(names(other)).toEqual(["mine"]);
    expect(warnings(other)).toEqual(["bridge.defaultServers.docs: is not added: mcpServers.mine has this address"]);
  });

  test("never replaces an entry of its name", () => {
    const result = seeds({ docs: "https://docs.example/mcp" }, { Docs: { command: "prog" } });
    expect(names(result)).toEqual(["Docs"]);
    expect(warnings(result)).toEqual(["bridge.defaultServers.docs: is not added: the server of this name has another address"]);
  });

  test("is not added twice under two names", () => {
    const result = seeds({ one: "https://x.example", two: "https://X.example/", One: "https://y.example" });
    expect(names(result)).toEqual(["one"]);
    expect(warnings(result)).toEqual([
      "bridge.defaultServers.two: is not added: mcpServers.one has this address",
      "bridge.defaultServers.One: is not added: the server of this name has another address",
    ]);
  });
});
