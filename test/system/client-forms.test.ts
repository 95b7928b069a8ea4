/** A client's own person is asked about every call that needs one, however it names its tool and whatever it brings with it. */
import { afterEach, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { fixtureServer, makePlace, startDaemon, whenServed } from "./daemon-fixture.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const configOf = () => ({
  approvals: { approvers: ["client"], clientMaxRisk: "high", holdMs: 500 },
  profiles: { default: { riskCeiling: "medium" }, careful: { autonomy: "supervised" } },
  mcpServers: { one: { ...fixtureServer(), tools: { "*": { risk: "low" }, count: { capability: "mutating", risk: "high" } } } },
});

test("by its name inside of mcp_invoke_tool, and where the request alone narrows its rules", async () => {
  using place = makePlace(configOf());
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  const client = new Client({ name: "person", version: "1" }, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    return { action: "accept" as const, content: { decision: "approve" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as never);
  open.push(() => client.close());
  const inside = { server_name: "one", tool_name: "count", arguments: { n: 1 } };
  const invoked = await client.callTool({ name: "mcp_invoke_tool", arguments: inside });
  expect(invoked.isError ?? false).toBe(false);
  expect(asked).toEqual([expect.stringContaining("one__count")]);

  const narrowed = { name: "one__echo", arguments: { text: "hello" }, _meta: { "toolcrib/profile": "careful" } };
  expect((await client.callTool(narrowed)).isError ?? false).toBe(false);
  expect(asked[1]).toContain("one__echo");
  await client.callTool({ name: "one__echo", arguments: { text: "hello" } });
  expect(asked).toHaveLength(2);
}, 60_000);
