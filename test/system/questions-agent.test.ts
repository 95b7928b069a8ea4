/** Servers of both generations that ask in the middle of a call, over their real connections: the agent, its client and its user answer. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { asOperator, call, makePlace, type Place, REPOSITORY, startDaemon, whenServed } from "./daemon-fixture.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const server = (file: string, place: Place, elicitation: object) => ({
  command: process.execPath,
  args: [join(REPOSITORY, "test", "fixtures", "servers", file), "--executions", join(place.root, "executions")],
  elicitation,
});
const done = ({ root }: Place): string[] => {
  const file = join(root, "executions");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
/** Everything that stands in the data folder. */
const onDisk = ({ data }: Place): string =>
  readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString("latin1"))
    .join("\n");
const questionOf = ({ json }: Awaited<ReturnType<typeof call>>) => (json["structuredContent"] as { question: { id: string } }).question.id;

test("a modern server's questions come back to the agent, one after the other, and no metric says how it answered", async () => {
  using place = makePlace();
  place.configure({ mcpServers: { desk: server("asking-server.ts", place, { mode: "handback" }) } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "desk__plain", { value: 1 });
  const words = ["xylophone seventeen umbrella", "marzipan forty locomotive"];
  let told = await call(url, "desk__interview", { rounds: 2 });
  for (const word of words) told = await call(url, "mcp_answer", { question_id: questionOf(told), answers: { word } });
  expect(JSON.stringify(told.json)).toContain("2 questions");
  expect(done(place)).toContain(`interviewed ${words.join(" ")}`);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain("toolcrib_questions_settled_total");
  for (const word of words) expect(metrics).not.toContain(word);
}, 60_000);

test("a decision waits for the user, whose words the host records; its value is in no file", async () => {
  using place = makePlace();
  place.configure({ mcpServers: { desk: server("asking-server.ts", place, { mode: "handback" }) } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "desk__plain", { value: 1 });
  const asked = await call(url, "desk__delete_all", {});
  const yes = { question_id: questionOf(asked), answers: { confirm: true } };
  expect(JSON.stringify((await call(url, "mcp_answer", yes)).json)).toContain("Only the user may decide");
  const turn = { method: "POST", body: JSON.stringify({ role: "user", text: "yes, everything" }) };
  const turns = `${url}/v1/sessions/rest/turns`;
  expect((await fetch(turns, turn)).status).toBe(403);
  expect((await fetch(turns, { ...turn, headers: asOperator(place) })).status).toBe(200);
  expect(done(place).filter((line) => line.startsWith("deleted"))).toEqual([]);
  await call(url, "mcp_answer", yes);
  expect(done(place).filter((line) => line.startsWith("deleted"))).toHaveLength(1);
  const free = await call(url, "desk__introduce", {});
  const unfit = { question_id: questionOf(free), answers: { "first.name": "gooseberry nine lighthouse", age: "none" } };
  expect(JSON.stringify((await call(url, "mcp_answer", unfit)).json)).toContain("stays open");
  await daemon.stop();
  expect(onDisk(place)).not.toContain("gooseberry nine lighthouse");
}, 60_000);

test("an older server asks in the middle of its call, and the person at the agent's client answers", async () => {
  using place = makePlace();
  place.configure({ mcpServers: { desk: server("legacy-asking-server.ts", place, { mode: "auto" }) } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "desk__plain", { value: 1 });
  const client = new Client({ name: "person", version: "1" }, { capabilities: { elicitation: {} } });
  const shown: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    shown.push(params.message);
    return { action: "accept" as const, content: { mailbox: "home" } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as never);
  open.push(() => client.close());
  const sent = await client.callTool({ name: "desk__send_mail", arguments: { to: "grace" } });
  expect(JSON.stringify(sent.content)).toContain("by the person at the client");
  expect([shown, done(place)]).toEqual([["Which mailbox?"], expect.arrayContaining(["mail to grace from home"])]);
  const alone = await call(url, "desk__send_mail", { to: "grace" });
  expect(JSON.stringify(alone.json)).toContain("nobody here to answer it");
  expect(done(place).filter((line) => line.startsWith("mail"))).toHaveLength(1);
}, 60_000);
