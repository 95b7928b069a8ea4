/** Who may come in: Host, Origin, tokens. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createGuard, type GuardOptions } from "../../src/doors/guard.ts";

const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const ADA = "ada-0123456789abcdef0123456789";
const OPS = "ops-0123456789abcdef0123456789";
const options: GuardOptions = {
  agents: [{ name: "ada", tokenHash: hash(ADA), profile: "supervised" }],
  operators: [{ name: "grace", tokenHash: hash(OPS), roles: ["view"] }],
  allowedHosts: ["tools.example"],
  allowedOrigins: ["https://app.example"],
  isLoopback: true,
};
const request = (headers: Record<string, string>) => new Request("http://127.0.0.1:7420/mcp", { headers });
const status = (headers: Record<string, string>, more: Partial<GuardOptions> = {}) =>
  createGuard({ ...options, ...more }).refuseForeign(request(headers))?.status;

describe("Host", () => {
  test.each(["127.0.0.1:7420", "localhost", "LOCALHOST:1", "[::1]:7420", "tools.example", "tools.example:443"])("%s is served", (host) => {
    expect(status({ host })).toBeUndefined();
  });
  test.each(["evil.example", "127.0.0.1.evil.example", "0.0.0.0:7420", "tools.example.evil.example", ""])("%p is not", (host) => {
    expect(status({ host })).toBe(403);
  });
});

describe("Origin", () => {
  test.each(["http://localhost:3000", "http://127.0.0.1", "https://app.example"])("%s may call", (origin) => {
    expect(status({ origin })).toBeUndefined();
  });
  test.each(["https://evil.example", "null", "https://app.example.evil.example", "http://app.example", "http://localhost.evil.example"])(
    "%s may not",
    (origin) => {
      expect(status({ origin })).toBe(403);
    },
  );
  test("of loopback may not call when we listen elsewhere", () => {
    expect(status({ origin: "http://localhost:3000" }, { isLoopback: false })).toBe(403);
  });
});

describe("agents", () => {
  const agent = (headers: Record<string, string>, more: Partial<GuardOptions> = {}) =>
    createGuard({ ...options, ...more }).agentOf(request(headers));

  test("are known by their token and have its profile", () => {
    expect(agent({ authorization: `Bearer ${ADA}` })).toEqual({ agent: "ada", profile: "supervised" });
  });
  test.each([{}, { authorization: "Bearer wrong" }, { authorization: `Basic ${ADA}` }, { authorization: `Bearer ${OPS}` }])(
    "without a right token are nobody once agents are configured: %p",
    (headers) => {
      expect(agent(headers as Record<string, string>)).toBeUndefined();
    },
  );
  test("are all `default` on loopback without configured agents, and nobody elsewhere", () => {
    expect(agent({}, { agents: [] })).toEqual({ agent: "default", profile: "default" });
    expect(agent({ authorization: "Bearer something" }, { agents: [] })).toEqual({ agent: "default", profile: "default" });
    expect(agent({}, { agents: [], isLoopback: false })).toBeUndefined();
  });
  test("are never known by a token in the URL", () => {
    const inUrl = new Request(`http://127.0.0.1/mcp?token=${ADA}&access_token=${ADA}`);
    expect(createGuard(options).agentOf(inUrl)).toBeUndefined();
  });
});

test("operators are known by their own tokens only", () => {
  const guard = createGuard(options);
  expect(guard.operatorOf(request({ authorization: `Bearer ${OPS}` }))?.name).toBe("grace");
  expect(guard.operatorOf(request({ authorization: `Bearer ${ADA}` }))).toBeUndefined();
  expect(guard.operatorOf(request({}))).toBeUndefined();
});
