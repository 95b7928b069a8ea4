/** Which rules for questions and tasks hold for a server, from the event of the configuration to the catalogue. */
import { expect, test } from "bun:test";
import {
  DEFAULT_ELICITATION,
  DEFAULT_LIMITS,
  DEFAULT_OFFER,
  elicitationOf,
  OPEN_POLICY,
  questionLimits,
  taskLimits,
} from "../../actors/catalogue.ts";
import { Registry } from "../../actors/registry.ts";
import { ConfigApplied, ServerRegistered } from "../../events/registry.ts";
import { given } from "../given.ts";

const mail = { name: "Mail", id: "aaaaaaaaaaaa", origin: "operator", transport: "stdio" } as const;
const own = { ...DEFAULT_ELICITATION, mode: "handback", maxPerCall: 1 } as const;
const common = { ...DEFAULT_ELICITATION, mode: "decline", defaults: { Region: "eu" } } as const;
const offer = { ...DEFAULT_OFFER, offer: "never", perTool: { mail__send: "always" } } as const;
const configure = {
  type: "configure",
  digest: "d1",
  limits: DEFAULT_LIMITS,
  naming: "prefixed",
  servers: [mail],
  policies: { mail: { ...OPEN_POLICY, elicitation: own, tasks: true, taskTimeoutMs: 60_000 } },
  elicitation: common,
  offer,
} as const;

test("the rules of a configuration stand in its event, and in the catalogue", () => {
  const { state, events } = given(Registry).when(configure);
  expect(events.at(-1)?.data).toMatchObject({ elicitation: common, offer, servers: { mail: { elicitation: own, tasks: true } } });
  expect(state).toMatchObject({ elicitation: common, offer });
  expect(elicitationOf(state, "mail")).toEqual(own);
  expect(state.servers.get("mail")?.policy).toMatchObject({ tasks: true, taskTimeoutMs: 60_000 });
});

test("a server without a block of its own has the common one, and so has one that nobody knows", () => {
  const { state } = given(Registry).when({ ...configure, policies: { mail: OPEN_POLICY } });
  expect(elicitationOf(state, "Mail")).toEqual(common);
  expect(elicitationOf(state, "elsewhere")).toEqual(common);
});

test("an agent's server has the common block, whatever else is said of its name", () => {
  const registered = ServerRegistered({ ...mail, origin: "agent", transport: "http", owner: "coder", url: "https://mail.example/mcp" });
  const { servers: _s, ...without } = configure;
  const { state } = given(Registry, registered).when({ ...without, servers: [] });
  expect(state.servers.get("mail")?.origin).toBe("agent");
  expect(elicitationOf(state, "mail")).toEqual(common);
});

test("a log from before these rules has the defaults", () => {
  const { questions: _q, tasks: _t, ...limits } = DEFAULT_LIMITS;
  const before = ConfigApplied({ digest: "d0", limits, naming: "prefixed", servers: {} });
  const { state } = given(Registry, before).when();
  expect(state).toMatchObject({ elicitation: DEFAULT_ELICITATION, offer: DEFAULT_OFFER });
  expect(questionLimits(state)).toEqual({ perSession: 5, total: 50 });
  expect(taskLimits(state)).toEqual({
    perSession: 3,
    total: 20,
    timeoutMs: 3_600_000,
    pollMinMs: 500,
    pollMaxMs: 30_000,
    pollFailures: 10,
  });
});
