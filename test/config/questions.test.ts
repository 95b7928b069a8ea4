/** `elicitation` and `tasks`: every spelling and default, and what the event says. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_ELICITATION, DEFAULT_LIMITS, DEFAULT_OFFER } from "../../actors/catalogue.ts";
import type { Elicitation } from "../../events/elicitation.ts";
import { limitsOf, serverPolicies } from "../../src/config/policy.ts";
import { formatProblem } from "../../src/config/problems.ts";
import { commonElicitation, offerOf } from "../../src/config/questions.ts";
import { redactedConfig } from "../../src/config/redacted.ts";
import { loaded, ref } from "./fixture.ts";

const server = (more: object) => ({ mcpServers: { s: { command: "prog", ...more } } });
const policyOf = (more: object) => serverPolicies(loaded(server(more)).config)["s"];
const ownOf = (elicitation: unknown) => policyOf({ elicitation })?.elicitation;
const commonOf = (elicitation: object) => commonElicitation(loaded({ elicitation }).config);
const warningsOf = (file: object): string[] => loaded(file).warnings.map((problem) => formatProblem(problem).replace(/^\S+: /, ""));

test("without a word of them the defaults hold, those of a log without a configuration", () => {
  const { config, warnings } = loaded({});
  expect(commonElicitation(config)).toEqual(DEFAULT_ELICITATION);
  expect(offerOf(config)).toEqual(DEFAULT_OFFER);
  expect(limitsOf(config)).toEqual(DEFAULT_LIMITS);
  expect(policyOf({})).not.toContainAnyKeys(["elicitation", "tasks", "taskTimeoutMs"]);
  expect(warnings).toEqual([]);
});

/** How a block is written, and in what it differs from the defaults. */
const blocks: [written: object, differs: Partial<Elicitation>][] = [
  [{}, {}],
  [{ mode: "auto" }, {}],
  [{ mode: "DECLINE" }, { mode: "decline" }],
  [{ mode: "Off" }, { mode: "off" }],
  [{ mode: "ask" }, { mode: "decline" }],
  [{ mode: "" }, { mode: "decline" }],
  [{ mode: 5 }, { mode: "decline" }],
  [{ mode: null }, {}],
  [{ maxPerCall: 0 }, { maxPerCall: 0 }],
  [{ maxPerCall: 7 }, { maxPerCall: 7 }],
  [{ defaults: null, deniedFields: null }, {}],
  [
    { defaults: { Region: "eu", count: 2, sure: true, tags: ["a"], none: null } },
    { defaults: { Region: "eu", count: 2, sure: true, tags: ["a"], none: null } },
  ],
  [{ defaults: { note: `as in ${ref("HOME")}` } }, { defaults: { note: `as in ${ref("HOME")}` } }],
  [{ deniedFields: ["phone"] }, { deniedFields: ["phone"] }],
  [{ responderTimeoutMs: 5 }, { responderTimeoutMs: 5 }],
  [{ responderTimeoutMs: 0 }, { responderTimeoutMs: 0 }],
  [{ responderTimeoutMs: -1 }, { responderTimeoutMs: 0 }],
  [{ responder: "LLM" }, { responder: "LLM" }],
  [{ responder: " " }, {}],
  [{ responder: null }, {}],
  [{ handbackTtlMinutes: 0.5 }, { handbackTtlMinutes: 0.5 }],
  [{ handbackTtlMinutes: 0 }, {}],
  [{ handbackTtlMinutes: -3 }, {}],
];
test.each(blocks)("%j is read at the top level and in an entry alike", (written, differs) => {
  expect(commonOf(written)).toEqual({ ...DEFAULT_ELICITATION, ...differs });
  expect(ownOf(written)).toEqual({ ...DEFAULT_ELICITATION, ...differs });
});

describe("a block of an entry", () => {
  test("may hand questions back, and name the conversation", () => {
    expect(ownOf({ mode: "HandBack", responder: "conversation" })).toMatchObject({ mode: "handback", responder: "conversation" });
  });

  test("has its keys in any case of letters, as other programs write them", () => {
    expect(ownOf({ MaxPerCall: 1, DENIEDFIELDS: ["a"] })).toMatchObject({ maxPerCall: 1, deniedFields: ["a"] });
    expect(warningsOf(server({ Elicitation: { Mode: "ask" } }))[0]).toContain("elicitation.mode: is no mode, and is read as decline");
  });

  test("takes nothing from the common one, and an entry without a block says nothing of its own", () => {
    const file = {
      elicitation: { mode: "decline", maxPerCall: 1 },
      mcpServers: { s: { command: "x", elicitation: {} }, t: { command: "y" } },
    };
    const policies = serverPolicies(loaded(file).config);
    expect(policies["s"]?.elicitation).toEqual(DEFAULT_ELICITATION);
    expect(policies["t"]).not.toHaveProperty("elicitation");
  });
});

test("the common block hands nothing back, and nobody reads the conversation for it", () => {
  expect(commonOf({ mode: "handback" })).toEqual(DEFAULT_ELICITATION);
  expect(commonOf({ responder: "Conversation" })).toEqual({ ...DEFAULT_ELICITATION, responder: "none" });
});

test("bounds and offers are passed on", () => {
  const bridge = {
    maxPendingQuestionsPerSession: 1,
    maxPendingQuestions: 2,
    maxTasksPerSession: 3,
    maxTasks: 4,
    defaultTaskTimeoutMinutes: 5,
    taskPollMinMs: 60,
    taskPollMaxMs: 70,
    taskPollFailureLimit: 8,
  };
  const tasks = { offer: "always", offerAfterMs: 0, heartbeatMs: 100, perTool: { s__act: "never" } };
  const { config } = loaded({ bridge, tasks });
  expect(limitsOf(config)).toMatchObject({
    questions: { perSession: 1, total: 2 },
    tasks: { perSession: 3, total: 4, timeoutMs: 300_000, pollMinMs: 60, pollMaxMs: 70, pollFailures: 8 },
  });
  expect(offerOf(config)).toEqual({ offer: "always", afterMs: 0, heartbeatMs: 100, perTool: { s__act: "never" } });
  expect(limitsOf(loaded({ bridge: { taskPollMinMs: 50_000 } }).config).tasks).toMatchObject({ pollMinMs: 50_000, pollMaxMs: 50_000 });
});

test("a server's tasks, and how long they may take", () => {
  expect(policyOf({ tasks: true, taskTimeoutMinutes: 1.5 })).toMatchObject({ tasks: true, taskTimeoutMs: 90_000 });
  expect(policyOf({ tasks: false, taskTimeoutMinutes: -1 })).not.toContainAnyKeys(["tasks", "taskTimeoutMs"]);
});

describe("a default that is a secret", () => {
  const defaults = { region: "eu", password: "hunter2hunter2", pin: 1234, deep: { token: "abcdefghij" }, list: ["https://u:pw@x.example"] };
  const file = { elicitation: { defaults }, ...server({ elicitation: { defaults } }) };

  test("is in no event, and masked where the configuration is written down", () => {
    const { config } = loaded(file);
    for (const { elicitation } of [{ elicitation: commonElicitation(config) }, serverPolicies(config)["s"] ?? {}])
      expect(elicitation?.defaults).toEqual({ region: "eu" });
    const { elicitation, mcpServers } = redactedConfig(config, { mask: () => "***" });
    for (const block of [elicitation, mcpServers["s"]?.elicitation])
      expect(block?.defaults).toEqual({
        region: "eu",
        password: "***",
        pin: "***",
        deep: { token: "***" },
        list: ["https://u:***@x.example"],
      });
  });

  test("is one by its form, too", () => {
    const { config } = loaded({ elicitation: { defaults: { note: "sk-1", other: "plain" } } });
    const family = (value: string) => (value.startsWith("sk-") ? "some" : undefined);
    expect(commonElicitation(config, { family }).defaults).toEqual({ other: "plain" });
  });

  test("is none when secrets.ignore names its field", () => {
    const { config, warnings } = loaded({ elicitation: { defaults: { projectKey: "ENG" } }, secrets: { ignore: ["projectKey"] } });
    expect(commonElicitation(config).defaults).toEqual({ projectKey: "ENG" });
    expect(warnings).toEqual([]);
  });
});
