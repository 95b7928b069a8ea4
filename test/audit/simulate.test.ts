/** Recorded calls under other rules about tools, profiles and servers. */
import { describe, expect, spyOn, test } from "bun:test";
import { DEFAULT_PROFILE, RESTRICTED_PROFILE } from "../../actors/policy/defaults.ts";
import { parseDocument } from "../../src/config/jsonc.ts";
import { readPolicyFile } from "../../src/config/policy-file.ts";
import { changes, logOf, profiles, rule, under, type World } from "./simulate-fixture.ts";

describe("rules that are about the tool", () => {
  test("the same rules change nothing", async () => {
    const log = await logOf([["srv__act"], ["srv__look"], ["srv__none"], ["mcp_list_services"]], { policy: { rules: [rule({})] } });
    expect(under(log, {})).toEqual({
      calls: 4,
      changed: [],
      counts: {
        unchanged: 4,
        changed: 0,
        unknown: 0,
        was: { allowed: 2, refused: 2, asked: 0 },
        now: { allowed: 2, refused: 2, asked: 0 },
      },
    });
    expect(changes(log, { policy: { rules: [rule({})] } })).toEqual([]);
  });

  test("a call that was allowed is refused under a deny, and tells which and where", async () => {
    const log = await logOf([["srv__act"], ["srv__look"]], { name: "desk" });
    const { changed } = under(log, { policy: { rules: [rule({ name: "no-act" })] } });
    const [row] = log.query<{ call: string }>("select call from calls order by call limit 1");
    expect(changed).toEqual([
      { callId: row?.call ?? "", session: "desk", tool: "srv__act", was: "allowed", now: "refused", rule: "no-act" },
    ]);
  });

  test("a key is replaced as a whole, the others stay", async () => {
    const log = await logOf([["srv__act"], ["srv__look"]], { policy: { rules: [rule({})] } });
    expect(changes(log, { policy: { egress: ["example.com"] } })).toEqual(["srv__act refused->allowed default-allow"]);
    expect(changes(log, { approvals: {} })).toEqual([]);
  });

  test("what was refused to a restricted profile is allowed to a looser one", async () => {
    const log = await logOf([["srv__act"]], { policy: { profiles: profiles(RESTRICTED_PROFILE) } });
    expect(changes(log, { profiles: { default: { autonomy: "autonomous" } } })).toEqual(["srv__act refused->allowed default-allow"]);
  });

  test("supervised asks about what was allowed, unless nobody could be asked", async () => {
    const log = await logOf([["srv__act"], ["srv__look"]]);
    const supervised = { default: { autonomy: "supervised" } };
    expect(changes(log, { profiles: supervised })).toEqual(
      ["act", "look"].map((name) => `srv__${name} allowed->asked autonomy:supervised`),
    );
    expect(changes(log, { profiles: supervised, approvals: { approvers: [] } })).toEqual(
      ["act", "look"].map((name) => `srv__${name} allowed->refused no_approver`),
    );
  });

  test("what was to be asked about stays so, and is allowed where nobody has to be asked", async () => {
    const world = { policy: { profiles: profiles({ autonomy: "supervised" }) } };
    const log = await logOf([["srv__act"]], world);
    expect(changes(log, {})).toEqual([]);
    expect(under(log, { profiles: { default: { autonomy: "autonomous" } } }).changed).toMatchObject([{ now: "allowed" }]);
  });

  test("servers' lists and settings are replaced too; one that the file leaves out has none", async () => {
    const world: World = { server: { deniedTools: ["look"], capabilities: { act: "read" } } };
    const log = await logOf([["srv__act"], ["srv__look"]], world);
    expect(changes(log, { mcpServers: { SRV: { deniedTools: ["act"] } } })).toEqual([
      "srv__act allowed->refused server-tool-lists",
      "srv__look refused->allowed default-allow",
    ]);
    expect(changes(log, { mcpServers: {}, profiles: { default: { autonomy: "restricted" } } })).toEqual([
      "srv__act allowed->refused autonomy:restricted",
    ]);
  });

  test("a call inside a management tool is refused with it", async () => {
    const log = await logOf([["mcp_invoke_tool", { server_name: "srv", tool_name: "act", arguments: {} }]]);
    expect(changes(log, {})).toEqual([]);
    const denied = under(log, { policy: { rules: [rule({})] } });
    expect(denied.changed).toMatchObject([{ tool: "srv__act", now: "refused" }]);
  });

  test("what a session has read counts by the labels that tools would have had", async () => {
    const log = await logOf([["srv__look"], ["srv__act"]]);
    const tools = { look: { labels: ["untrusted", "private"] }, act: { labels: ["external"] } };
    expect(changes(log, { mcpServers: { srv: { tools } } })).toEqual(["srv__act allowed->asked untrusted+private+external"]);
  });

  test("refusals by limits are not decided again", async () => {
    const limits = { ...DEFAULT_PROFILE.limits, callsPerHour: 1 };
    const log = await logOf([["srv__act"], ["srv__look"]], { policy: { profiles: profiles({ limits }) } });
    expect(changes(log, { limits: { callsPerHour: 0 }, profiles: {} })).toEqual([]);
    expect(under(log, { policy: { rules: [rule({ tool: "*" })] } }).changed).toMatchObject([{ tool: "srv__act" }]);
  });
});

test("neither the clock nor chance nor the world is asked", async () => {
  const log = await logOf([["srv__act", { amount: 1 }]]);
  const forbid = (what: string) => (): never => {
    throw new Error(`${what} was used`);
  };
  const stubs = [
    spyOn(Date, "now").mockImplementation(forbid("the clock")),
    spyOn(Math, "random").mockImplementation(forbid("chance")),
    spyOn(crypto, "getRandomValues").mockImplementation(forbid("chance")),
    spyOn(globalThis, "fetch").mockImplementation(Object.assign(forbid("the network"), { preconnect: forbid("the network") })),
    spyOn(Bun, "spawn").mockImplementation(forbid("a process")),
  ];
  try {
    expect(under(log, { policy: { rules: [rule({ when: "amount > 0" })] } }).changed).toHaveLength(1);
  } finally {
    for (const stub of stubs) stub.mockRestore();
  }
});

test("what becomes of a call that was sent is not decided again, and said so", async () => {
  const log = await logOf([["srv__act"]]);
  const rules = { mcpServers: { srv: { elicitation: { mode: "decline" }, tasks: true, taskTimeoutMinutes: 1 } } };
  expect(changes(log, rules)).toEqual([]);
  const parsed = parseDocument("rules.jsonc", new TextEncoder().encode(JSON.stringify(rules)));
  const read = "document" in parsed ? readPolicyFile(parsed.document, "prefixed") : { errors: [] };
  expect("warnings" in read && read.warnings.map(({ path, message }) => `${path} ${message.slice(0, 10)}`)).toEqual([
    "mcpServers.srv.elicitation is ignored",
    "mcpServers.srv.tasks is ignored",
    "mcpServers.srv.taskTimeoutMinutes is ignored",
  ]);
});
