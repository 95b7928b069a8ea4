/** Hooks and webhooks with references in them, through a daemon. */
import { expect, test } from "bun:test";
import { run } from "../cli/support.ts";
import { asOperator, call, fixtureServer, makePlace, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const SCRIPT = new URL("../fixtures/hooks/hook.ts", import.meta.url).pathname;
const SECRET = "hook-secret-value-1";
const mcpServers = { one: fixtureServer() };
const errorOf = ({ json }: { json: Record<string, unknown> }) => json["error"] as { code: string; message: string };

test("a hook is started with the secret, which nobody else sees; without it the hook blocks and says what is missing", async () => {
  const echo = { name: "echo", if: 'text != "there"', type: "command", command: [process.execPath, SCRIPT, "exit2", `\${secret:HOOK}`] };
  using place = makePlace({ mcpServers, hooks: { preToolUse: [echo] } });
  const data = ["--data", place.data, "--config", place.config];
  const daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  const missing = "the secret HOOK is not in the secret store";
  await until("it says so", () => daemon.stderr().includes(missing));
  for (let n = 0; n < 6; n++) expect((await call(url, "one__echo", { text: "hello" })).status).toBe(403);
  const events = await send(url, "/debug/api/events?type=call.checked&limit=100", undefined, asOperator(place));
  expect(events.text.split(missing)).toHaveLength(7); // its reason stays, however often
  const doctor = await run(["doctor", ...data]);
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("hooks.preToolUse[0]")]);
  expect((await run(["config", "check", ...data])).stdout).toContain(missing);

  await run(["secret", "set", "HOOK", "--data", place.data], { stdin: SECRET });
  await until("it blocks by its own word", async () =>
    errorOf(await call(url, "one__echo", { text: "hello" })).message.includes("not today"),
  );
  const said = await call(url, "one__echo", { text: `it is ${SECRET}` });
  expect(said.text).not.toContain(SECRET);
  const shown = await send(url, "/debug/api/events?limit=1000", undefined, asOperator(place));
  expect(shown.text).not.toContain(SECRET);
  await daemon.stop();
}, 60_000);

test("the webhook is told of a request, at an address inside only where the operator lets it", async () => {
  const posts: { path: string; body: { event: string; approval: Record<string, unknown> } }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      posts.push({ path: new URL(request.url).pathname, body: (await request.json()) as (typeof posts)[number]["body"] });
      return new Response();
    },
  });
  const webhook = `http://127.0.0.1:${server.port}/\${env:WEBHOOK_TOKEN}`;
  const profiles = { default: { autonomy: "supervised", approvals: { webhook, holdMs: 50 } } };
  const one = { ...mcpServers.one, tools: { echo: { capability: "read" }, count: { capability: "mutating" } } };
  const configOf = (allowPrivateAddresses: boolean) => ({ mcpServers: { one }, profiles, bridge: { allowPrivateAddresses } });
  using place = makePlace(configOf(true));
  await using daemon = startDaemon(place, { env: { WEBHOOK_TOKEN: "path-token-1" } });
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  const asked = await call(url, "one__count", { n: 1 });
  expect(asked.status).toBe(202);
  const [post] = await until("it is told", () => (posts.length > 0 ? posts : undefined));
  expect(post).toMatchObject({
    path: "/path-token-1",
    body: {
      event: "approval.requested",
      approval: { id: (asked.json["error"] as { approvalId: string }).approvalId, arguments: { n: 1 } },
    },
  });

  place.configure(configOf(false));
  const failures = async () => {
    const { text } = await send(url, "/metrics");
    return Number(/^toolcrib_approval_webhook_failures_total (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  let n = 1;
  await until("it is refused", async () => {
    await call(url, "one__count", { n: ++n });
    return (await failures()) > 0;
  });
  const before = posts.length;
  await call(url, "one__count", { n: ++n });
  await until("again", async () => (await failures()) > 1);
  expect(posts).toHaveLength(before);
  await server.stop(true);
}, 60_000);
