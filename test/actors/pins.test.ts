/** Which definitions are accepted at sight, which are reported, and which are held back until somebody accepts them. */
import { describe, expect, test } from "bun:test";
import { DEFAULT_LIMITS, DEFAULT_SURFACE, OPEN_POLICY } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { Registry } from "../../actors/registry.ts";
import type { Declared } from "../../actors/registry-commands.ts";
import { ConfigApplied, type ServerPolicy, ServerRegistered, type Surface } from "../../events/registry.ts";
import { ToolAccepted, ToolChanged, ToolDisabled, ToolEnabled, ToolFlagged, ToolsOffered, ToolWithheld } from "../../events/tools.ts";
import { given } from "../given.ts";

const ID = "aaaaaaaaaaaa";
const registered = ServerRegistered({ name: "mail", id: ID, origin: "operator", transport: "stdio" });
const configured = (policy: Partial<ServerPolicy> = {}, drift: Partial<Surface["drift"]> = {}) =>
  ConfigApplied({
    digest: "d",
    limits: DEFAULT_LIMITS,
    naming: "prefixed",
    servers: { mail: { ...OPEN_POLICY, ...policy } },
    surface: { ...DEFAULT_SURFACE, drift: { ...DEFAULT_SURFACE.drift, ...drift } },
  });
const declared = (tool: string, version = 1): Declared => ({
  tool,
  hash: `${tool}-h${version}`,
  pin: `${tool}-p${version}`,
  suffix: "12345678",
  capability: "mutating",
  ...(version > 1 && { fields: ["description"] }),
});
const surface = (...tools: Declared[]) => ({ type: "surface", server: "mail", id: ID, tools }) as const;
const offer = (tool: string, version = 1, withheld = false) => ({
  name: `mail__${tool}`,
  tool,
  hash: `${tool}-h${version}`,
  pin: `${tool}-p${version}`,
  capability: "mutating" as const,
  ...(withheld && { withheld: true as const }),
});
const first = ToolsOffered({ server: "mail", tools: [offer("send")] });
const changed = ToolChanged({
  server: "mail",
  tool: "send",
  hash: "send-h2",
  previous: "send-h1",
  change: "changed",
  fields: ["description"],
});
const withheld = ToolWithheld({ server: "mail", tool: "send", hash: "send-h2", previous: "send-h1" });
const held = ToolsOffered({ server: "mail", tools: [offer("send", 2, true)] });
const verdict = (state: Parameters<typeof authorise>[0]) => authorise(state, "mail__send");

describe("definitions", () => {
  test("are accepted at first sight", () => {
    const { state } = given(Registry, registered, configured())
      .when(surface(declared("send")))
      .emits(first);
    expect(verdict(state).allowed).toBe(true);
    expect(state.servers.get("mail")?.accepted.get("send")).toEqual({ pin: "send-p1", hash: "send-h1" });
  });

  test("that changed later are held back: hidden, and refused by name", () => {
    const { state } = given(Registry, registered, configured(), first)
      .when(surface(declared("send", 2)))
      .emits(changed, withheld, held);
    expect(verdict(state)).toMatchObject({ allowed: false, code: "refused", rule: "definition-withheld" });
  });

  test("that are held back are reported once, not with every list", () => {
    given(Registry, registered, configured(), first, changed, withheld, held)
      .when(surface(declared("send", 2)))
      .emits();
  });

  test("that changed back are what was accepted", () => {
    const { state } = given(Registry, registered, configured(), first, changed, withheld, held)
      .when(surface(declared("send")))
      .emits(first);
    expect(verdict(state).allowed).toBe(true);
  });

  test("of a tool that was away are compared with what was accepted before it went", () => {
    const { state } = given(Registry, registered, configured(), first).when(surface(), surface(declared("send", 2)));
    expect(verdict(state)).toMatchObject({ allowed: false, code: "refused" });
  });

  test("of a trusted server are reported and taken", () => {
    const { state } = given(Registry, registered, configured({ trusted: true }), first)
      .when(surface(declared("send", 2)))
      .emits(changed, ToolsOffered({ server: "mail", tools: [offer("send", 2)] }));
    expect(verdict(state).allowed).toBe(true);
    expect(state.servers.get("mail")?.accepted.get("send")?.pin).toBe("send-p2");
  });

  test("are taken with a report where drift says warn", () => {
    given(Registry, registered, configured({}, { changed: "warn" }), first)
      .when(surface(declared("send", 2)))
      .emits(changed, ToolsOffered({ server: "mail", tools: [offer("send", 2)] }));
  });

  const added = ToolChanged({ server: "mail", tool: "burn", hash: "burn-h1", change: "added", fields: [] });
  test("of added tools are reported and taken", () => {
    given(Registry, registered, configured(), first)
      .when(surface(declared("send"), declared("burn")))
      .emits(added, ToolsOffered({ server: "mail", tools: [offer("burn")] }));
  });

  test("of added tools are held back where drift says so", () => {
    given(Registry, registered, configured({}, { added: "withhold" }), first)
      .when(surface(declared("send"), declared("burn")))
      .emits(
        added,
        ToolWithheld({ server: "mail", tool: "burn", hash: "burn-h1" }),
        ToolsOffered({ server: "mail", tools: [offer("burn", 1, true)] }),
      );
  });

  test("that are held back are accepted by name, by published name or all at once", () => {
    const accepted = ToolAccepted({ server: "mail", tool: "send", hash: "send-h2", previous: "send-h1", pin: "send-p2", by: "cli:0" });
    for (const tools of [["send"], ["mail__send"], undefined]) {
      const { state } = given(Registry, registered, configured(), first, changed, withheld, held)
        .when({ type: "accept", server: "Mail", by: "cli:0", ...(tools && { tools }) })
        .emits(accepted)
        .causes({ type: "publish", server: "mail" });
      expect(verdict(state).allowed).toBe(true);
      expect(state.servers.get("mail")?.accepted.get("send")).toEqual({ pin: "send-p2", hash: "send-h2" });
    }
  });

  test("are accepted only as they were read, where a hash says what was read", () => {
    const history = given(Registry, registered, configured(), first, changed, withheld, held);
    history.when({ type: "accept", server: "mail", hash: "send-h1", by: "cli:0" }).emits();
    history.when({ type: "accept", server: "mail", hash: "send-h", by: "cli:0" }).emitsTypes("tool.accepted");
  });

  test("that nobody held back cannot be accepted", () => {
    given(Registry, registered, configured(), first)
      .when({ type: "accept", server: "mail", tools: ["send"], by: "cli:0" })
      .emits();
  });
});

describe("a definition that reads like an attack", () => {
  const findings = [{ kind: "hidden-instruction", severity: "high", where: "/description", excerpt: "do not tell the user" }] as const;
  const bad = { ...declared("send"), findings, suspicious: true } as const;
  const flagged = ToolFlagged(
    { server: "mail", tool: "send", hash: "send-h1", findings: [{ kind: "hidden-instruction", severity: "high", where: "/description" }] },
    { excerpts: ["do not tell the user"] },
  );
  const offered = ToolsOffered({ server: "mail", tools: [{ ...offer("send", 1, true), suspicious: true }] });

  test("is held back at first sight already", () => {
    const { state } = given(Registry, registered, configured())
      .when(surface(bad))
      .emits(flagged, ToolWithheld({ server: "mail", tool: "send", hash: "send-h1" }), offered);
    expect(verdict(state)).toMatchObject({ allowed: false, code: "refused" });
  });

  test("stays held back with the next list, and is free once it is accepted", () => {
    const again = { ...declared("send"), suspicious: true } as const;
    const { state } = given(Registry, registered, configured(), flagged, offered)
      .when(surface(again), { type: "accept", server: "mail", by: "cli:0" }, surface(again))
      .emitsTypes("tool.accepted");
    expect(verdict(state).allowed).toBe(true);
  });

  test("of a trusted server is only reported", () => {
    const { state } = given(Registry, registered, configured({ trusted: true }))
      .when(surface(bad))
      .emitsTypes("tool.flagged", "tools.offered");
    expect(verdict(state).allowed).toBe(true);
  });
});

test("a prompt may bear the name of a tool: each has its own pin and its own name", () => {
  const prompt = { ...declared("send"), kind: "prompt", capability: "read", pin: "prompt-p1" } as const;
  const { state } = given(Registry, registered, configured()).when({ ...surface(declared("send")), prompts: [prompt] });
  expect([...state.names.keys()]).toEqual(["mail__send", "mail__send-prompt"]);
  expect([...(state.servers.get("mail")?.accepted.keys() ?? [])]).toEqual(["send", "prompt\nsend"]);
});

test("a list that cannot be had is not an empty list", () => {
  const prompt = { ...declared("letter"), kind: "prompt", capability: "read" } as const;
  const { state } = given(Registry, registered, configured()).when(
    { ...surface(declared("send")), prompts: [prompt] },
    { type: "surface", server: "mail", id: ID, prompts: [] },
    { type: "surface", server: "mail", id: ID },
  );
  expect([...state.names.keys()]).toEqual(["mail__send"]);
});

test("a tool that was switched off is refused until it is switched on, also when its server comes back", () => {
  const off = { type: "switch", server: "mail", tool: "send", enabled: false, by: "cli:0" } as const;
  const { state } = given(Registry, registered, configured(), first)
    .when(off, off, surface(), surface(declared("send")))
    .emitsTypes("tool.disabled", "tools.withdrawn", "tools.offered");
  expect(verdict(state)).toMatchObject({ allowed: false, code: "refused", rule: "tool-disabled" });
  const on = given(Registry, registered, configured(), first, ToolDisabled({ server: "mail", tool: "send", by: "cli:0" }))
    .when({ ...off, enabled: true })
    .emits(ToolEnabled({ server: "mail", tool: "send", by: "cli:0" }));
  expect(verdict(on.state).allowed).toBe(true);
});
