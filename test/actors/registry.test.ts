import { describe, expect, test } from "bun:test";
import { DEFAULT_LIMITS, EMPTY_CATALOGUE, OPEN_POLICY } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { Registry } from "../../actors/registry.ts";
import { ConfigApplied, ServerRefused, ServerRegistered, ServerUnregistered } from "../../events/registry.ts";
import { ToolsOffered, ToolsWithdrawn } from "../../events/tools.ts";
import { given } from "../given.ts";

const server = { name: "Mail", id: "aaaaaaaaaaaa", origin: "operator", transport: "stdio" } as const;
const policies = { Mail: OPEN_POLICY };
const configure = {
  type: "configure",
  digest: "d1",
  limits: DEFAULT_LIMITS,
  naming: "prefixed",
  servers: [server],
  policies,
} as const;
const registered = ServerRegistered(server);
const applied = ConfigApplied({ digest: "d1", limits: DEFAULT_LIMITS, naming: "prefixed", servers: policies });
const declared = { tool: "send", hash: "h1", suffix: "12345678", capability: "mutating" } as const;
const offered = ToolsOffered({ server: "Mail", tools: [{ name: "Mail__send", tool: "send", hash: "h1", capability: "mutating" }] });
const surface = { type: "surface", server: "Mail", id: server.id, tools: [declared] } as const;

describe("the configuration", () => {
  test("registers what is new and records what every decision is judged by", () => {
    given(Registry)
      .when(configure)
      .emits(registered, applied)
      .causes(
        { type: "publish", server: "Mail" },
        { type: "publish", server: "*" },
        { type: "tell", to: "questions", command: { type: "review" } },
        { type: "tell", to: "tasks", command: { type: "review" } },
      );
  });

  test("that is the same again is no event", () => {
    given(Registry, registered, applied).when(configure).emits();
  });

  test("keeps the id, the tools and the policy of a server whose name changes only in case", () => {
    const denied = ConfigApplied({
      digest: "d1",
      limits: DEFAULT_LIMITS,
      naming: "prefixed",
      servers: { Mail: { ...OPEN_POLICY, deniedTools: ["send"] } },
    });
    const { state } = given(Registry, registered, denied, offered)
      .when({ ...configure, servers: [{ ...server, name: "mail", id: "bbbbbbbbbbbb" }] })
      .emits(ServerRegistered({ ...server, name: "mail" }));
    expect(state.servers.get("mail")).toMatchObject({ name: "mail", id: server.id, policy: { deniedTools: ["send"] } });
    expect(authorise(state, "Mail__send").allowed).toBe(false);
  });

  test("records another transport", () => {
    given(Registry, registered, applied)
      .when({ ...configure, servers: [{ ...server, transport: "http" }] })
      .emits(ServerRegistered({ ...server, transport: "http" }));
  });

  test("that no longer names a server ends it, and withdraws its tools", () => {
    const { state } = given(Registry, registered, applied, offered)
      .when({ ...configure, digest: "d2", servers: [], policies: {} })
      .emits(
        ServerUnregistered({ name: "Mail", id: server.id }),
        ConfigApplied({ digest: "d2", limits: DEFAULT_LIMITS, naming: "prefixed", servers: {} }),
      );
    expect(state.names.size).toBe(0);
  });

  test("refuses an entry that cannot be used, and takes it back when it can", () => {
    const refused = { ...server, refused: "the variable MAIL_TOKEN is not set" };
    const event = ServerRefused({ name: "Mail", reason: "the variable MAIL_TOKEN is not set" });
    given(Registry, registered, applied)
      .when({ ...configure, servers: [refused] })
      .emits(event);
    const after = given(Registry, registered, applied, offered, event);
    expect(authorise(after.when({ ...configure, servers: [refused] }).state, "Mail__send").allowed).toBe(false);
    expect(authorise(after.when(configure).emits(registered).state, "Mail__send").allowed).toBe(true);
  });

  test("applies a changed policy at once to tools that are published already", () => {
    const denied = { Mail: { ...OPEN_POLICY, deniedTools: ["send"] } };
    const { state } = given(Registry, registered, applied, offered).when({ ...configure, digest: "d2", policies: denied });
    expect(authorise(state, "Mail__send").allowed).toBe(false);
  });
});

describe("a surface", () => {
  test("publishes each tool under the server's name", () => {
    given(Registry, registered).when(surface).emits(offered).causes({ type: "publish", server: "Mail" });
  });

  test("that did not change is no event", () => {
    given(Registry, registered, offered).when(surface).emits();
  });

  test("of an incarnation that is gone is ignored", () => {
    given(Registry, registered)
      .when({ ...surface, id: "cccccccccccc" })
      .emits();
  });

  test("records only the difference", () => {
    const second = { ...declared, tool: "list", hash: "h2" };
    given(Registry, registered, offered)
      .when({ ...surface, tools: [second] })
      .emits(
        ToolsWithdrawn({ server: "Mail", names: ["Mail__send"] }),
        ToolsOffered({ server: "Mail", tools: [{ name: "Mail__list", tool: "list", hash: "h2", capability: "mutating" }] }),
      );
    given(Registry, registered, offered)
      .when({ ...surface, tools: [{ ...declared, hash: "h9" }] })
      .emits(ToolsOffered({ server: "Mail", tools: [{ name: "Mail__send", tool: "send", hash: "h9", capability: "mutating" }] }));
  });

  test("keeps the first of two tools whose names become the same, and says which it skipped", () => {
    const [event] = given(Registry, registered).when({
      ...surface,
      tools: [
        { ...declared, tool: "a.b" },
        { ...declared, tool: "a-b" },
      ],
    }).events;
    expect(event?.data).toMatchObject({
      tools: [{ name: "Mail__a-b", tool: "a.b" }],
      skipped: [{ tool: "a-b", reason: "the name Mail__a-b belongs to Mail" }],
    });
  });

  test("never displaces another server's name", () => {
    const other = ServerRegistered({ ...server, name: "Mail__send", id: "dddddddddddd" });
    const bare = ConfigApplied({ digest: "d1", limits: DEFAULT_LIMITS, naming: "bare", servers: {} });
    const taken = ToolsOffered({ server: "Mail", tools: [{ name: "send", tool: "send", hash: "h1", capability: "read" }] });
    given(Registry, registered, other, bare, taken)
      .when({ ...surface, server: "Mail__send", id: "dddddddddddd" })
      .emits();
  });
});

test("an empty registry offers nothing", () => {
  expect(authorise(EMPTY_CATALOGUE, "Mail__send")).toMatchObject({ allowed: false, code: "tool_not_found" });
});
