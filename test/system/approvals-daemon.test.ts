/** Approvals of a daemon: decided on the command line after it was killed, and by the client's own person. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { run } from "../cli/support.ts";
import { call, fixtureServer, makePlace, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const configOf = (approvals: object, counting?: string) => ({
  mcpServers: {
    one: {
      ...fixtureServer(counting === undefined ? {} : { FIXTURE_COUNT_FILE: counting }),
      tools: { echo: { capability: "read" }, count: { capability: "mutating" } },
    },
  },
  profiles: { default: { autonomy: "supervised", approvals } },
});
const made = (file: string): number => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0);
const errorOf = ({ json }: { json: Record<string, unknown> }) => json["error"] as Record<string, unknown>;

test("killed while a call waits: it is still decided on, and the identical call runs exactly once", async () => {
  const place = makePlace();
  const counting = join(place.root, "made");
  place.configure(configOf({ holdMs: 60_000 }, counting));
  const data = ["--data", place.data];
  const pending = async () => {
    const { approvals } = JSON.parse((await run(["approvals", "--json", ...data])).stdout) as { approvals: { id: string }[] };
    return approvals[0]?.id;
  };
  const first = startDaemon(place);
  await whenServed(await first.url, "one__echo", { text: "there" });
  const cut = call(await first.url, "one__count", { n: 1 }).catch(() => "cut");
  const approvalId = await until("it is asked about", pending);
  await first.kill();
  expect(await cut).toBe("cut");
  expect(await pending()).toBe(approvalId); // reading needs no daemon

  place.configure(configOf({ holdMs: 100 }, counting));
  await using second = startDaemon(place);
  const url = await second.url;
  await whenServed(url, "one__echo", { text: "there" });
  const joined = await call(url, "one__count", { n: 1 });
  expect([joined.status, errorOf(joined)["approvalId"]]).toEqual([202, approvalId]);
  expect(errorOf(joined)["expiresAt"]).toBeGreaterThan(Date.now());
  const approved = await run(["approve", approvalId, "--reason", "looked at it", ...data]);
  expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining("approved")]);
  expect(made(counting)).toBe(0);
  expect((await call(url, "one__count", { n: 2 })).status).toBe(202); // another argument is another call
  expect((await call(url, "one__count", { n: 1 })).status).toBe(200);
  expect((await call(url, "one__count", { n: 1 })).status).toBe(202);
  expect(made(counting)).toBe(1);
  const shown = await run(["show", approvalId, ...data]);
  expect(shown.stdout).toContain("grant.consumed");
  expect(shown.stdout).toContain("succeeded");
  expect((await run(["deny", "a_none", ...data])).code).toBe(1);
  await second.stop();
  place[Symbol.dispose]();
}, 60_000);

describe("the client's own person", () => {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  test.each([
    [{ action: "accept", content: { decision: "approve" } }, undefined],
    [{ action: "accept", content: { decision: "deny" } }, "approval_denied"],
    [{ action: "accept", content: { decision: "revise", instructions: "only the drafts" } }, "approval_denied"],
    [{ action: "decline" }, "approval_denied"],
    [{ action: "cancel" }, "approval_pending"],
  ])(
    "says %j",
    async (answer, code) => {
      using place = makePlace();
      const counting = join(place.root, "made");
      place.configure(configOf({ holdMs: 500 }, counting));
      await using daemon = startDaemon(place);
      const url = await daemon.url;
      await whenServed(url, "one__echo", { text: "there" });
      const client = new Client({ name: "person", version: "1" }, { capabilities: { elicitation: {} } });
      const asked: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        asked.push(params.message);
        return answer as never;
      });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as never);
      open.push(() => client.close());
      const result = await client.callTool({ name: "one__count", arguments: { n: 1 } });
      const { error } = (result.structuredContent ?? {}) as { error?: { code: string } };
      expect(error?.code).toBe(code as never);
      expect(asked).toEqual([expect.stringContaining('"n":1')]);
      expect(made(counting)).toBe(code === undefined ? 1 : 0);
      if (JSON.stringify(answer).includes("revise")) expect(JSON.stringify(result.content)).toContain("only the drafts");
    },
    60_000,
  );

  test("is not asked where the risk is above what the person may decide", async () => {
    using place = makePlace(configOf({ holdMs: 100, clientMaxRisk: "low" }));
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "one__echo", { text: "there" });
    const client = new Client({ name: "person", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept" as const, content: { decision: "approve" } }));
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as never);
    open.push(() => client.close());
    const result = await client.callTool({ name: "one__count", arguments: {} });
    expect(result.structuredContent).toMatchObject({ error: { code: "approval_pending" } });
  }, 60_000);
});
