/** The MCP Inspector's command line as a client of the whole product, in every era it can be told to use. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Gateway, startGateway } from "./gateway.ts";
import { EVERYTHING, INSPECTOR, LIMIT_MS, MISSING, named, stdio } from "./peers.ts";

setDefaultTimeout(LIMIT_MS);

const MAIN = join(import.meta.dir, "../../src/main.ts");

describe.skipIf(MISSING)(named("MCP Inspector"), () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ everything: stdio(EVERYTHING, ["stdio"]) });
  });
  afterAll(() => gateway?.stop());

  /** Runs it once and gives what it printed as JSON. */
  async function inspect(target: readonly string[], ...flags: readonly string[]) {
    const env = { ...process.env, MCP_CATALOG_PATH: join(gateway.root, "catalog.json"), NO_COLOR: "1" };
    const command = [process.execPath, INSPECTOR, "--cli", ...target, "--format", "json", ...flags];
    const run = Bun.spawn(command, { cwd: gateway.root, env, stdio: ["ignore", "pipe", "pipe"] });
    const [output, problems, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
    if (code !== 0) throw new Error(`the inspector ended with ${code}: ${problems}${output}`);
    return JSON.parse(output) as unknown;
  }

  describe.each(["http", "stdio"])("over %s", (way) => {
    const target = () =>
      way === "http"
        ? [`${gateway.url}/mcp`, "--transport", "http"]
        : [process.execPath, MAIN, "stdio", "--data", join(gateway.root, "data")];

    test.each(["legacy", "auto", "modern"])("%s", async (era) => {
      const inEra = (...flags: readonly string[]) => inspect(target(), "--protocol-era", era, ...flags);
      const location = JSON.stringify({ location: "Chicago" });
      const [list, structured] = await Promise.all([
        inEra("--method", "tools/list"),
        inEra("--method", "tools/call", "--tool-name", "everything__get-structured-content", "--tool-args-json", location),
      ]);
      expect(list).toMatchObject({
        result: {
          tools: expect.arrayContaining([
            expect.objectContaining({ name: "everything__echo", description: "[everything] Echoes back the input string" }),
          ]),
        },
      });
      expect(structured).toMatchObject({ result: { structuredContent: { temperature: 36, humidity: 82 } } });
    });
  });
});
