/** A server that a person has to do something for: nothing is tried in vain, and whoever calls hears of it at once. */
import { expect, test } from "bun:test";
import { AuthorizationRequired } from "../../src/mcp/downstream/authorization.ts";
import { fakeServer, harness } from "../harness.ts";
import { REFUSED, world } from "./fixture.ts";

const WHY = 'nobody has logged in: run "toolcrib auth login mail"';
/** As a transport may wrap it. */
const needed = () => new Error("the request failed", { cause: new AuthorizationRequired(WHY) });

test("no attempt follows before the next sweep, a call or a login; calls that wait are refused at once", async () => {
  const { server, apply, clock, attempts, connections, told } = world();
  server.reachable = false;
  server.why = needed();
  apply();
  await clock.advance(59_999);
  expect(attempts).toEqual([0]);
  expect(told).toEqual([{ to: "server/mail", type: "unreachable", reason: WHY, code: "auth_required" }]);
  expect(connections.of("mail")).toMatchObject({ state: "disconnected", blocked: WHY });
  connections.hurry("mail");
  await clock.advance(0);
  expect(attempts).toHaveLength(2);
  server.reachable = true;
  connections.renew("mail");
  await clock.advance(0);
  expect(connections.of("mail")).toMatchObject({ state: "connected", blocked: undefined });
});

test("a call that cannot be sent for want of a token ends the connection with the sentence that says what to do", async () => {
  const { server, apply, clock, connections, told } = world();
  apply();
  await clock.advance(0);
  server.call = async () => ({ kind: "not_sent", reason: WHY, authorization: true });
  server.reachable = false;
  server.why = needed();
  await connections.of("mail")?.call({ tool: "act", arguments: {} });
  await clock.advance(0);
  expect(connections.of("mail")).toMatchObject({ state: "disconnected", blocked: WHY });
  expect(told.slice(-2)).toEqual([
    { to: "server/mail", type: "disconnected", reason: WHY },
    { to: "server/mail", type: "unreachable", reason: WHY, code: "auth_required" },
  ]);
});

test("a server that nobody calls is asked, and a login that ended meanwhile is noticed", async () => {
  const { server, apply, clock, connections } = world();
  Object.assign(server, { pid: undefined, request: async () => ({ kind: "not_sent", reason: WHY, authorization: true }) });
  apply();
  await clock.advance(0);
  server.reachable = false;
  server.why = needed();
  await clock.advance(60_000);
  expect(connections.of("mail")).toMatchObject({ state: "disconnected", blocked: WHY });
});

test("what was in the way is forgotten when something else is", async () => {
  const { server, apply, clock, connections } = world();
  server.reachable = false;
  server.why = needed();
  apply();
  await clock.advance(0);
  server.why = new Error("connection refused");
  await clock.advance(60_000);
  expect(connections.of("mail")).toMatchObject({ blocked: undefined, lastError: "connection refused" });
  server.reachable = true;
  await clock.advance(60_000);
  server.call = async () => REFUSED;
  await connections.of("mail")?.call({ tool: "act", arguments: {} });
  expect(connections.of("mail")).toMatchObject({ state: "disconnected", blocked: undefined });
});

test("an agent reads that the operator has to act, and that nothing was sent", async () => {
  const mail = fakeServer();
  const { session, settle, clock } = await harness({ servers: { mail } });
  const desk = await session("s_1");
  const first = desk.call("mail__act");
  await settle();
  mail.unreachable(needed());
  mail.calls[0]?.answer({ kind: "not_sent", reason: WHY, authorization: true });
  const second = desk.call("mail__act", { again: true });
  await clock.advance(0);
  for (const result of [await first, await second]) {
    expect(result.structuredContent?.error).toMatchObject({ code: "auth_required", certainty: "not_applied", retryable: false });
    expect(result.content[0]?.text).toBe(`The server asks for authorisation. (${WHY}) The operator has to log in to this server.`);
  }
});
