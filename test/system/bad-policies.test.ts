/** Policies that cannot be meant: a daemon does not start with one, a running one keeps what it has and says so; and names that are no tool's, once that is known. */
import { describe, expect, test } from "bun:test";
import { run } from "../cli/support.ts";
import { asOperator, call, fixtureServer, makePlace, type Place, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const mcpServers = { one: fixtureServer() };
const BAD: readonly (readonly [string, object, string])[] = [
  ["an unknown group", { policy: { deny: ["group:mlai"], groups: { mail: ["call_status"] } } }, "there is no such group"],
  ["a group that holds itself", { policy: { groups: { a: ["group:b"], b: ["group:a"] } } }, "holds itself: a, b, a"],
  ["an invalid pattern", { hooks: { preToolUse: [{ name: "h", matcher: "(", type: "command", command: ["true"] }] } }, "is no pattern"],
  ["an invalid pattern of an asset", { policy: { classification: { assets: [{ match: "[", label: "PII" }] } } }, "is no pattern"],
  ["an approver who cannot be", { approvals: { approvers: ["grace"] } }, "nobody can be this approver"],
  [
    "an approver who may decide nothing",
    {
      operators: [{ name: "vera", tokenHash: `sha256:${"0".repeat(64)}`, roles: ["view"] }],
      profiles: { lean: { approvals: { approvers: ["vera"] } } },
    },
    "this operator can decide nothing",
  ],
  ["an unknown built-in tool", { policy: { hardDeny: ["exce"] } }, 'did you mean "exec"?'],
  ["a rule that is no expression", { policy: { rules: [{ name: "r", tool: "*", when: "args.(", action: "deny" }] } }, "is no expression"],
];
const statusOf = async (url: string, place: Place) =>
  (await send(url, "/debug/api/status", undefined, asOperator(place))).json["config"] as { errors: string[]; warnings: string[] };

describe("with", () => {
  test.each(BAD)("%s it does not start: 78, and the message names file and line", async (_, bad, words) => {
    using place = makePlace(JSON.stringify({ mcpServers, ...bad }, null, 2));
    await using daemon = startDaemon(place);
    expect(await daemon.ended).toBe(78);
    expect(daemon.stderr()).toMatch(/toolcrib\.jsonc:\d+/);
    expect(daemon.stderr()).toContain(words);
  });
});

test("a running daemon keeps the policy that it has while the file is bad, says so, and takes the next good one", async () => {
  const denying = { mcpServers, policy: { deny: ["one__count"] } };
  using place = makePlace(denying);
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  for (const [, bad, words] of BAD) {
    place.configure(JSON.stringify({ mcpServers, ...bad }, null, 2));
    const errors = await until(words, async () => {
      const now = (await statusOf(url, place)).errors;
      return now.some((error) => error.includes(words)) ? now : undefined;
    });
    expect(errors[0]).toMatch(/toolcrib\.jsonc:\d+/);
    expect((await call(url, "one__count")).status).toBe(403);
  }
  expect(daemon.stderr()).toContain("the configuration was not applied");
  place.configure({ mcpServers });
  await until("it is applied", async () => (await call(url, "one__count")).status === 200);
  expect((await statusOf(url, place)).errors).toEqual([]);
}, 60_000);

test("a guard that nobody knows refuses its server, in words that name it, at the start and while the daemon runs", async () => {
  const guarded = { mcpServers: { one: { ...fixtureServer(), argGuards: [{ handler: "path-prefx" }] } } };
  using place = makePlace(guarded);
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  const row = async () =>
    ((await send(url, "/debug/api/servers", undefined, asOperator(place))).json["servers"] as { name: string }[]).find(
      ({ name }) => name === "one",
    );
  const refused = { state: "refused", reason: expect.stringContaining("path-prefx") };
  expect(await row()).toMatchObject(refused);
  place.configure({ mcpServers });
  await whenServed(url, "one__echo", { text: "there" });
  expect(await row()).toMatchObject({ state: "connected" });
  place.configure(guarded);
  await until("it is refused again", async () => (await call(url, "one__echo", { text: "there" })).status === 404 || undefined);
  const closed = async () => (await send(url, "/debug/api/events?type=server.disconnected", undefined, asOperator(place))).json["events"];
  await until("its connection has ended", async () => ((await closed()) as unknown[]).length > 0);
  expect(await row()).toMatchObject(refused);
}, 60_000);

test("a name that no tool of a connected server has is a warning, with what was meant", async () => {
  using place = makePlace({ mcpServers, policy: { deny: ["one__ehco"] } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__count");
  const sentence = 'policy.deny: "one__ehco" names no tool that its server has; did you mean "one__echo"?';
  expect((await statusOf(url, place)).warnings).toEqual([sentence]);
  const flags = ["--config", place.config, "--data", place.data];
  const doctor = await run(["doctor", ...flags]);
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(sentence)]);
  place.configure({ mcpServers, policy: { deny: ["one__echo"] } });
  await until("it is corrected", async () => (await statusOf(url, place)).warnings.length === 0);
  expect((await run(["doctor", ...flags])).stdout).not.toContain("names no tool");
}, 60_000);
