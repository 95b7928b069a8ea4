/** Foreign clients against the daemon: they follow tasks of its servers and calls that last, answer, call off, and come back after it was killed. */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { connectRequester } from "../mcp/upstream/requester.ts";
import { fixtureServer, makePlace, type Place, REPOSITORY, startDaemon, until, whenServed } from "./daemon-fixture.ts";

setDefaultTimeout(60_000);

const TASK_SERVER = join(REPOSITORY, "test", "fixtures", "servers", "task-server.ts");
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const config = (more: object = {}) => ({
  mcpServers: {
    far: { command: process.execPath, args: [TASK_SERVER], tasks: true },
    one: fixtureServer(),
  },
  tasks: { offerAfterMs: 200 },
  ...more,
});

async function served(place: Place) {
  const daemon = startDaemon(place);
  closing.push(async () => daemon[Symbol.asyncDispose]());
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  await whenServed(url, "far__release", { key: "nothing" });
  return { daemon, url: `${url}/mcp` };
}
async function following(url: string) {
  const requester = await connectRequester(url);
  closing.push(requester.close);
  return requester;
}

describe("the official requester", () => {
  test("follows a server's task, is asked by it, and hears how it broke off", async () => {
    using place = makePlace(config());
    const { session, asked } = await following((await served(place)).url);
    const quick = await session.callTool("far__quick", { value: 7 });
    expect(quick.kind).toBe("task");
    expect(resultFromTaskOutcome((await quick.settle()).outcome).content).toMatchObject([{ text: "quick 7" }]);
    const survey = await (await session.callTool("far__survey", { questions: 2, together: true })).settle();
    expect(JSON.stringify(resultFromTaskOutcome(survey.outcome).content)).toContain('accept {\\"name\\":\\"Ada\\"}, accept');
    expect(asked).toEqual(["task-update", "task-update"]);
    const broken = await (await session.callTool("far__failing", { protocol: true })).settle();
    expect(broken.outcome).toMatchObject({ status: "failed", error: { message: expect.stringContaining("no luck") } });
  });

  test("gets a quick call at once, follows one that lasts, and calls one off", async () => {
    using place = makePlace(config());
    const { session } = await following((await served(place)).url);
    expect((await session.callTool("one__echo", { text: "hi" })).kind).toBe("immediate");
    const slept = await session.callTool("one__sleep", { ms: 900 });
    expect(slept.kind).toBe("task");
    expect(resultFromTaskOutcome((await slept.settle()).outcome).content).toMatchObject([{ text: "slept" }]);
    const endless = await session.callTool("far__endless", {});
    await endless.cancel();
    expect((await endless.settle()).outcome).toMatchObject({ status: "cancelled" });
  });

  test("finds its task again after the daemon was killed: what was cut is in doubt, what a server goes on with ends well", async () => {
    using place = makePlace(config());
    const state = join(place.root, "tasks.json");
    const far = { command: process.execPath, args: [TASK_SERVER, "--state", state], tasks: true };
    place.configure(config({ mcpServers: { far, one: fixtureServer() } }));
    const first = await served(place);
    const before = await connectRequester(first.url);
    const [cut, slow] = [
      await before.session.callTool("one__sleep", { ms: 60_000 }),
      await before.session.callTool("far__slow", { key: "k" }),
    ];
    if (cut.kind !== "task" || slow.kind !== "task") throw new Error("no tasks");
    const references = [cut.serializeReference(), slow.serializeReference()];
    await first.daemon.kill();
    await before.close().catch(() => undefined);

    const second = await served(place);
    const { session } = await following(second.url);
    const [again, later] = await Promise.all(references.map((reference) => session.resumeTask(reference)));
    expect((await again?.settle())?.outcome).toMatchObject({
      status: "completed",
      result: { isError: true, structuredContent: { error: { code: "in_doubt", certainty: "in_doubt" } } },
    });
    await session.callTool("far__release", { key: "k" });
    expect(JSON.stringify((await later?.settle())?.outcome)).toContain("slow k");
  });
});

test("the person of a modern client decides by a form, whose answer comes with the same call again", async () => {
  using place = makePlace(config({ profiles: { default: { autonomy: "supervised" } } }));
  const daemon = startDaemon(place);
  closing.push(async () => daemon[Symbol.asyncDispose]());
  const asked: string[] = [];
  const says = ["approve", "deny"];
  const client = new Client(
    { name: "desk", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { decision: says.shift() ?? "deny" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${await daemon.url}/mcp`)));
  closing.push(() => client.close());
  await until("its tools are listed", async () => (await client.listTools()).tools.some(({ name }) => name === "one__echo"));
  expect((await client.callTool({ name: "one__echo", arguments: { text: "hi" } })).content).toMatchObject([{ text: "hi" }]);
  const denied = await client.callTool({ name: "one__echo", arguments: { text: "no" } });
  expect(denied.structuredContent).toMatchObject({ error: { code: "approval_denied" } });
  const viaWrapper = { name: "mcp_invoke_tool", arguments: { server_name: "one", tool_name: "echo", arguments: { text: "inside" } } };
  expect((await client.callTool(viaWrapper)).structuredContent).toMatchObject({ error: { code: "approval_denied" } });
  expect(asked).toEqual([1, 2, 3].map(() => expect.stringContaining("May echo of one")));
});
