/** What agents may do about servers, and what is the operator's. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_LIMITS, OPEN_POLICY } from "../../actors/catalogue.ts";
import { Registry } from "../../actors/registry.ts";
import { removalFault } from "../../actors/registry-proposals.ts";
import { ConfigApplied, ServerProposed, ServerRefused, ServerRegistered, ServerUnregistered } from "../../events/registry.ts";
import { given } from "../given.ts";

const operators = ServerRegistered({ name: "mail", id: "aaaaaaaaaaaa", origin: "operator", transport: "stdio" });
const url = "https://weather.example.com/mcp";
const agents = ServerRegistered({ name: "weather", id: "bbbbbbbbbbbb", origin: "agent", transport: "http", owner: "ada", url });
const proposal = { name: "news", owner: "ada", transport: "http", url: "https://news.example.com/mcp" } as const;
const propose = { type: "propose", ...proposal } as const;
const register = { type: "register", id: "cccccccccccc", ...proposal } as const;

describe("a server that an agent wants", () => {
  test("is proposed first, and registered as its own once its address was looked at", () => {
    given(Registry, operators).when(propose).emits(ServerProposed(proposal));
    const { state } = given(Registry, operators, ServerProposed(proposal))
      .when(register)
      .emits(ServerRegistered({ name: "news", id: "cccccccccccc", origin: "agent", transport: "http", owner: "ada", url: proposal.url }));
    expect(state.servers.get("news")).toMatchObject({ origin: "agent", owner: "ada", url: proposal.url, policy: OPEN_POLICY });
  });

  test.each([
    ["a name of the operator's", { name: "Mail" }, "managed by the operator"],
    ["a name of its own that exists", { name: "weather" }, "unregister it first"],
    ["a name of another agent's", { name: "weather", owner: "bob" }, "another agent"],
    ["a name that breaks the rules", { name: "a__b" }, "1 to 64"],
    ["an empty name", { name: "" }, "1 to 64"],
    ["our own name", { name: "Builtin" }, "taken by toolcrib"],
    ["a name that looks like another", { name: "rnail" }, 'looks like that of the server "mail"'],
    ["an address that is there already", { duplicateOf: "mail" }, 'registered already, as "mail"'],
  ])("is refused for %s", (_, changed, words) => {
    const { events } = given(Registry, operators, agents)
      .when({ ...propose, ...changed })
      .emitsTypes("server.refused");
    expect(events[0]?.data).toMatchObject({ proposal: true, reason: expect.stringContaining(words) });
  });

  test("is judged again when its address has been looked at: somebody may have been faster", () => {
    given(
      Registry,
      operators,
      ServerProposed(proposal),
      ServerRegistered({ name: "News", id: "dddddddddddd", origin: "operator", transport: "http" }),
    )
      .when(register)
      .emitsTypes("server.refused");
  });

  test("whose wish was refused leaves no entry and harms none", () => {
    const { state } = given(Registry, operators)
      .when({ type: "reject", name: "mail", reason: "no" })
      .emits(ServerRefused({ name: "mail", reason: "no", proposal: true }));
    expect(state.servers.get("mail")?.refused).toBeUndefined();
  });
});

describe("a server that an agent wants to be gone", () => {
  test("goes when it is its own", () => {
    given(Registry, operators, agents)
      .when({ type: "unregister", name: "WEATHER", owner: "ada" })
      .emits(ServerUnregistered({ name: "weather", id: "bbbbbbbbbbbb" }));
  });

  test.each([
    ["mail", "ada", "managed by the operator"],
    ["weather", "bob", "another agent"],
    ["builtin", "ada", "the servers are: mail, weather"],
  ])("stays: %s, asked by %s", (name, owner, words) => {
    const { state } = given(Registry, operators, agents).when({ type: "unregister", name, owner }).emits();
    expect(removalFault(state, name, owner)).toContain(words);
  });
});

test("the operator's configuration neither ends agents' servers nor shares its names with them", () => {
  const configure = { type: "configure", digest: "d", limits: DEFAULT_LIMITS, naming: "prefixed", policies: {} } as const;
  const applied = ConfigApplied({ digest: "d", limits: DEFAULT_LIMITS, naming: "prefixed", servers: {} });
  const mail = { name: "mail", id: "x", origin: "operator", transport: "stdio" } as const;
  given(Registry, operators, agents)
    .when({ ...configure, servers: [mail] })
    .emits(applied);
  const taken = { name: "Weather", id: "eeeeeeeeeeee", origin: "operator", transport: "http" } as const;
  given(Registry, operators, agents)
    .when({ ...configure, servers: [mail, taken] })
    .emits(ServerUnregistered({ name: "weather", id: "bbbbbbbbbbbb" }), ServerRegistered(taken), applied);
});
