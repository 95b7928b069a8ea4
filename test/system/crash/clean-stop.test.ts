/** SIGTERM with calls in flight: what answers within the grace is told to whoever asked, over every door. */
import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { makePlace, programUnderTest, startGateway } from "./gateway.ts";

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test("calls that run at SIGTERM get their answers over MCP and over REST, and the log ends in good order", async () => {
  const place = makePlace();
  const gateway = startGateway(programUnderTest(), place);
  const url = (await gateway.url) ?? "";
  const mcp = (message: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, { method: "POST", headers: { ...HEADERS, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const rest = (key: string, ms: number) =>
    fetch(`${url}/v1/tools/deed__act/call`, { method: "POST", headers: HEADERS, body: JSON.stringify({ arguments: { key, ms } }) });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "stop", version: "1" } };
  const session = { "mcp-session-id": (await mcp({ id: 0, method: "initialize", params })).headers.get("mcp-session-id") ?? "" };
  while ((await rest("warm", 0)).status !== 200) await Bun.sleep(20);

  const call = { name: "deed__act", arguments: { key: "mcp", ms: 700 } };
  const answers = [mcp({ id: 1, method: "tools/call", params: call }, session), rest("rest", 700)].map(async (answer) =>
    (await answer).json(),
  );
  while (readFileSync(place.acts, "utf8").split("\n").length < 4) await Bun.sleep(10); // both are carried out, none is answered
  gateway.kill("SIGTERM");
  expect(await Promise.all(answers)).toMatchObject([
    { id: 1, result: { content: [{ text: "mcp" }] } },
    { isError: false, content: [{ text: "rest" }] },
  ]);
  await gateway.ended;
  expect(gateway.signal()).toBeNull();
  rmSync(place.root, { recursive: true });
}, 30_000);
