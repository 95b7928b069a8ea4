/** Findings about configuration and doors. Each test is marked as failing: when its finding is mended it says so, and the mark goes. */
import { describe, expect, test } from "bun:test";
import { REGISTRY } from "../../actors/address.ts";
import { DEFAULT_LIMITS, OPEN_POLICY } from "../../actors/catalogue.ts";
import { createBackend } from "../../src/doors/backend.ts";
import { operatorRoutes } from "../../src/doors/operator.ts";
import { createSessions } from "../../src/doors/sessions.ts";
import { createToolLists } from "../../src/doors/tool-lists.ts";
import { fakeServer, harness, text } from "../harness.ts";

const principal = { agent: "ada", profile: "default" };

async function doors() {
  const mail = fakeServer();
  const world = await harness({ servers: { mail } });
  const { runtime, log, clock, vault } = world;
  let ids = 0;
  const sessions = createSessions({ runtime, log, now: clock.now, vault, limitOf: () => 0, randomId: () => String(++ids) });
  const open = (name: string) => sessions.open({ principal, name, client: "test", era: "modern" });
  return { ...world, mail, sessions, open };
}

describe("a change of the configuration", () => {
  const configure = (more: object) => ({
    type: "configure",
    digest: "d2",
    limits: { ...DEFAULT_LIMITS, slotsPerServer: 1 },
    naming: "prefixed",
    servers: [
      { name: "builtin", id: "builtin", origin: "builtin", transport: "builtin" },
      { name: "mail", id: "000000000000", origin: "operator", transport: "stdio" },
    ],
    policies: { mail: OPEN_POLICY },
    ...more,
  });

  test("of what a tool may do holds for a call that waits", async () => {
    const mail = fakeServer();
    const policies = { mail: { capabilities: { "*": "read" as const } } };
    const { session, settle, runtime, log } = await harness({ servers: { mail }, policies, limits: { slotsPerServer: 1 } });
    const ada = await session("s_1");
    for (const n of [1, 2]) void ada.ask("mail__act", { n });
    await settle();
    await runtime.enter(REGISTRY, configure({}));
    mail.calls[0]?.answer(text("done"));
    await settle();
    expect(log.page({ after: 0, limit: 1000, type: "call.dispatched" }).at(-1)?.data).toMatchObject({
      queued: true,
      capability: "mutating",
    });
  });

  test("of the naming renames what is published", async () => {
    const { runtime, connections, settle } = await harness({ servers: { mail: fakeServer() } });
    await runtime.enter(REGISTRY, configure({ naming: "bare" }));
    connections.refresh();
    await settle();
    expect([...runtime.catalogue().names.keys()]).toContain("act");
  });

  test("that makes a connection anew says that the old one is gone", async () => {
    const mail = fakeServer();
    const { connections, settle, types } = await harness({ servers: { mail } });
    mail.reachable = false;
    const target = { kind: "stdio", command: "other", args: [], env: {} } as const;
    connections.apply([{ name: "mail", id: "000000000000", identity: "other", address: "", target, elicitation: true, tasks: false }]);
    await settle();
    expect(types("server/mail")).toContain("server.disconnected");
  });
});

describe("doors", () => {
  test("the list of doubts holds those that were resolved in the last 24 hours", async () => {
    const mail = fakeServer();
    const { session, settle, clock, runtime, views, vault } = await harness({ servers: { mail } });
    const ada = await session("s_1");
    const acted = ada.ask("mail__act");
    await settle();
    await clock.advance(55_000);
    await ada.call("resolve_call", { call: (await acted).call, outcome: "applied" });
    const routes = operatorRoutes({
      answerQuestion: async () => ({ ok: false, status: 404, message: "there is none" }),
      tokenHashOf: () => undefined,
      runtime,
      views,
      vault,
      position: () => 0,
      now: clock.now,
      secretsChanged: async () => undefined,
      reconnect: () => false,
    });
    const url = "http://localhost/v1/doubts";
    const response = await routes(new Request(url), new URL(url), { name: "op", tokenHash: "", roles: ["view"] });
    expect(await response?.json()).toMatchObject({ doubts: [{ outcome: "applied" }] });
  });

  test("an idempotency key that is no text is refused, not ignored", async () => {
    const world = await doors();
    const { open, mail, settle } = world;
    const backend = createBackend({ ...world, version: "0", lists: createToolLists(world), orientation: () => "", settling: () => false });
    const session = await open("s");
    const client = { era: "modern", elicitation: false, tasks: false } as const;
    void backend.callTool(session, { name: "mail__act", arguments: {}, client, meta: { "toolcrib/idempotencyKey": 17 } });
    await settle();
    expect(mail.calls).toHaveLength(0);
  });
});
