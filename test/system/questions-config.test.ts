/** From the file to what is in force: the rules for questions and tasks in the log, the catalogue and the connections. */
import { expect, test } from "bun:test";
import { REGISTRY } from "../../actors/address.ts";
import { DEFAULT_ELICITATION, elicitationOf, questionLimits, taskLimits } from "../../actors/catalogue.ts";
import { stateAt } from "../../src/audit/state-at.ts";
import { fakeServer, harness, tool } from "../harness.ts";
import { configurable, only, stdio } from "./configurable.ts";

const SECRET = "hunter2hunter2";
const elicitation = { mode: "HandBack", defaults: { Region: "eu", password: SECRET } };
const file = only(
  { ...stdio, elicitation, tasks: true, taskTimeoutMinutes: 2 },
  {
    elicitation: { mode: "handback", maxPerCall: 1, responder: "conversation" },
    tasks: { offer: "never", heartbeatMs: 500, perTool: { one__act: "always" } },
    bridge: { maxTasks: 7, maxPendingQuestions: 9 },
  },
);

test("what the file says is in force, and comes back from the log", async () => {
  const { runtime, log } = await configurable(file);
  const catalogue = runtime.catalogue();
  expect(elicitationOf(catalogue, "one")).toEqual({ ...DEFAULT_ELICITATION, mode: "handback", defaults: { Region: "eu" } });
  expect(elicitationOf(catalogue, "other")).toEqual({ ...DEFAULT_ELICITATION, maxPerCall: 1, responder: "none" });
  expect(catalogue.servers.get("one")?.policy).toMatchObject({ tasks: true, taskTimeoutMs: 120_000 });
  expect(catalogue.offer).toEqual({ offer: "never", afterMs: 20_000, heartbeatMs: 500, perTool: { one__act: "always" } });
  expect([questionLimits(catalogue).total, taskLimits(catalogue).total]).toEqual([9, 7]);
  const { state } = await stateAt(log, "registry", { position: log.head.position });
  const { elicitation: common, offer, limits } = catalogue;
  expect(state).toMatchObject({ elicitation: common, offer, limits });
});

test("a secret among the defaults is nowhere in the log", async () => {
  const { log } = await configurable(file);
  const events = JSON.stringify([...log.read("registry")]);
  expect(events).toContain("[REDACTED literal]");
  expect(events).not.toContain(SECRET);
});

test("a server may ask unless it is switched off, and follows tasks only where the entry says so", async () => {
  const { apply, connections } = await configurable(only(stdio));
  const wanted = () => connections.all().map((one) => [one.wanted.elicitation, one.wanted.tasks]);
  expect(wanted()).toEqual([[true, false]]);
  await apply(only(stdio, { elicitation: { mode: "off" } }));
  expect(wanted()).toEqual([[false, false]]);
  await apply(only({ ...stdio, tasks: true, elicitation: {} }, { elicitation: { mode: "off" } }));
  expect(wanted()).toEqual([[true, true]]);
});

test("an agent's server is connected to anew when the common mode is switched off or on", async () => {
  const { apply, connections, runtime } = await configurable({});
  const proposal = { name: "docs", owner: "ada", transport: "http", url: "https://docs.example/mcp" };
  await runtime.enter(REGISTRY, { type: "register", id: "d0c5d0c5d0c5", ...proposal });
  const wanted = () => connections.of("docs")?.wanted;
  await apply({ tasks: { offer: "never" } });
  const first = wanted();
  expect(first).toMatchObject({ elicitation: true, tasks: false });
  await apply({ elicitation: { mode: "decline" } });
  expect(wanted()?.identity).toBe(first?.identity ?? "");
  await apply({ elicitation: { mode: "off" } });
  expect(wanted()).toMatchObject({ elicitation: false, tasks: false, address: first?.address ?? "" });
  expect(wanted()?.identity).not.toBe(first?.identity ?? "");
});

test("whether it may ask is nothing that tools are accepted for again", async () => {
  const strict = { bridge: { drift: { added: "withhold" } } };
  const { apply, server } = await configurable(only(stdio, strict));
  expect((await apply(only({ ...stdio, elicitation: { mode: "off" }, tasks: true }, strict))).connects).toBe(1);
  expect([...(server("one")?.offers.values() ?? [])].map(({ tool: name, withheld }) => [name, withheld])).toEqual([
    ["act", undefined],
    ["look", undefined],
  ]);
});

test("a client that asked for progress hears something as often as the configuration says", async () => {
  const { session, clock } = await harness({ servers: { mail: fakeServer([tool("act")]) }, offer: { heartbeatMs: 500 } });
  const ada = await session("s_1");
  let beats = 0;
  void ada.ask("mail__act", {}, { onProgress: () => void beats++ });
  for (let half = 0; half < 6; half++) await clock.advance(500);
  expect(beats).toBe(6);
});
