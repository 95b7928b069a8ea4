/** Tools of real servers, judged: an ordinary definition raises no finding. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scanDefinition, scanText } from "../../actors/definition-scan.ts";
import { typedName } from "../../actors/naming.ts";
import { scanContext, toolNames } from "../../actors/scan/names.ts";
import { showInvisible } from "../../actors/visible-text.ts";

const suites = process.env["TOOLCRIB_SUITES"];
const RULES = { naming: "prefixed", maxLength: 48 } as const;
const read = (path: string) => JSON.parse(readFileSync(join(suites ?? "", path), "utf8"));
interface Entry {
  readonly tools: Readonly<Record<string, { readonly tools: readonly { readonly name: string }[] }>>;
}
interface Tools {
  readonly name: string;
  readonly tools: readonly { readonly name: string }[];
}
const catalogue = (): readonly Tools[] =>
  (read("livemcpbench/tools.json") as readonly Entry[]).flatMap(({ tools }) =>
    Object.entries(tools).map(([name, server]) => ({ name, tools: server.tools })),
  );

describe.skipIf(suites === undefined)("definitions of others (set TOOLCRIB_SUITES to run)", () => {
  test("none of the 527 tools of 70 servers raises a finding, beside all the others", () => {
    const servers = catalogue();
    const offers = ({ name, tools }: Tools) =>
      new Map(tools.map((one) => [one.name, { name: typedName(name, one.name, "", RULES), tool: one.name }]));
    const names = toolNames(servers.map((server) => ({ name: server.name, offers: offers(server) })));
    const findings = servers.flatMap(({ name, tools }) => {
      const context = scanContext(
        name,
        tools.map((tool) => tool.name),
        names,
      );
      return tools.flatMap((tool) => scanDefinition({ ...tool }, context));
    });
    expect({ tools: servers.flatMap(({ tools }) => tools).length, findings }).toEqual({ tools: 527, findings: [] });
  });

  test("their texts are shown as they are", () => {
    for (const { tools } of catalogue()) for (const tool of tools) expect(showInvisible(JSON.stringify(tool))).toBe(JSON.stringify(tool));
  });

  test("none of the 89 samples of the protocol raises a finding", () => {
    const paths = readdirSync(join(suites ?? "", "mcp-examples"), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".json"),
    );
    const context = scanContext("sample", [], toolNames([]));
    const findings = paths.flatMap((path) => scanDefinition({ sample: read(`mcp-examples/${path}`) }, context));
    expect({ samples: paths.length, findings }).toEqual({ samples: 89, findings: [] });
  });

  test("strings that break programs are judged, and no order is seen in them", () => {
    const strings = read("strings/blns.json") as readonly string[];
    const findings = strings.flatMap((text) => scanText(text, "text"));
    expect(strings.length).toBeGreaterThan(300);
    expect(findings.filter(({ kind }) => kind === "hidden-instruction" || kind === "shadowing")).toEqual([]);
    expect(findings.filter(({ severity }) => severity === "high").length).toBeGreaterThan(0);
  });
});
