/** The facts that decisions get from a configuration. */
import { expect, test } from "bun:test";
import { DEFAULT_SURFACE } from "../../actors/catalogue.ts";
import { ConfigApplied } from "../../events/registry.ts";
import { limitsOf, serverPolicies, surfaceOf } from "../../src/config/policy.ts";
import { loaded } from "./fixture.ts";

const timeouts = (bridge: object) => {
  const { defaultTimeoutMs, progressTimeoutMs, maxTimeoutMs } = limitsOf(loaded({ bridge }).config);
  return [defaultTimeoutMs, progressTimeoutMs, maxTimeoutMs];
};

test("a call has 55 s, 60 s with progress, what is set, and never more than the maximum", () => {
  expect(timeouts({})).toEqual([55_000, 60_000, 900_000]);
  expect(timeouts({ defaultTimeoutMs: 7000 })).toEqual([7000, 7000, 900_000]);
  expect(timeouts({ maxTimeoutMs: 5000 })).toEqual([5000, 5000, 5000]);
  expect(timeouts({ defaultTimeoutMs: 9000, maxTimeoutMs: 5000 })).toEqual([5000, 5000, 5000]);
});

test("limits are passed on", () => {
  expect(limitsOf(loaded({ limits: { slotsPerServer: 3, waitingPerServer: 4, twinMs: 5 } }).config)).toMatchObject({
    slotsPerServer: 3,
    waitingPerServer: 4,
    twinMs: 5,
  });
});

test("the defaults of the configuration are those of a log without one", () => {
  expect(surfaceOf(loaded({}).config)).toEqual(DEFAULT_SURFACE);
});

test("what is set of how tools are shown is passed on, modes of profiles by their name", () => {
  const bridge = {
    wrapperMode: "Lazy",
    maxNameLength: 64,
    listAllUpTo: 1,
    maxActivatedToolsPerSession: 2,
    maxPinnedServersPerSession: 3,
    activationIdleMs: 4,
    maxToolsPerRequest: 5,
    drift: { changed: "warn", added: "withhold" },
  };
  const profiles = { plain: {}, weak: { wrapperMode: "EAGER" }, default: { wrapperMode: "off" } };
  expect(surfaceOf(loaded({ bridge, profiles }).config)).toEqual({
    wrapperMode: "lazy",
    profileModes: { weak: "eager", default: "off" },
    maxNameLength: 64,
    listAllUpTo: 1,
    maxActivatedTools: 2,
    maxPinnedServers: 3,
    activationIdleMs: 4,
    maxToolsPerRequest: 5,
    drift: { changed: "warn", added: "withhold" },
  });
});

test("a server's policy holds its lists, capabilities, trust, deadline and summary; a disabled server has none", () => {
  const { config } = loaded({
    bridge: { maxTimeoutMs: 5000 },
    mcpServers: {
      full: {
        command: "x",
        allowedTools: ["a"],
        deniedTools: ["b"],
        trusted: true,
        toolTimeoutMs: 9000,
        summary: "Sends mail.",
        tools: { "*": { capability: "read" } },
      },
      plain: { url: "http://x", toolTimeoutMs: -1 },
      off: { command: "x", disabled: true },
    },
  });
  expect(serverPolicies(config)).toEqual({
    full: {
      allowedTools: ["a"],
      deniedTools: ["b"],
      trusted: true,
      toolTimeoutMs: 5000,
      capabilities: { "*": "read" },
      summary: "Sends mail.",
    },
    plain: { allowedTools: [], deniedTools: [], trusted: false, capabilities: {} },
  });
});

test("together they make a config.applied event", () => {
  const { config, digest } = loaded({ mcpServers: { s: { command: "x" } } });
  const event = ConfigApplied({ digest, limits: limitsOf(config), naming: config.bridge.naming, servers: serverPolicies(config) });
  expect(Object.keys(event.data.servers)).toEqual(["s"]);
});
