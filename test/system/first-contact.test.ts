/** Calls that come before their server was ever reached. */
import { expect, test } from "bun:test";
import type { Downstream, DownstreamEvents } from "../../src/mcp/downstream/downstream.ts";
import { fakeServer, harness, text } from "../harness.ts";

/** Its connection is made, or fails, when the test says so. */
function slowServer() {
  const server = fakeServer();
  const gate = Promise.withResolvers<void>();
  const connect = async (events: DownstreamEvents): Promise<Downstream> => {
    await gate.promise;
    return server.connect(events);
  };
  return {
    calls: server.calls,
    fake: Object.assign(Object.create(server) as typeof server, { connect }),
    open: gate.resolve,
    fail: gate.reject,
  };
}

async function place() {
  const mail = slowServer();
  const world = await harness({ servers: { mail: mail.fake } });
  return { mail, ...world, ada: await world.session("s_1") };
}

test.each([
  ["mail__act", {}],
  ["mcp_invoke_tool", { server_name: "mail", tool_name: "act", arguments: {} }],
] as const)("%s waits until the tools are known", async (name, args) => {
  const { mail, ada, clock, settle } = await place();
  const call = ada.call(name, args);
  await clock.advance(500);
  mail.open();
  await settle();
  await clock.advance(100);
  await settle();
  mail.calls[0]?.answer(text("done"));
  expect((await call).content).toEqual([{ type: "text", text: "done" }]);
});

test("it does not wait longer than a moment, nor for a server that has failed", async () => {
  const { mail, ada, clock, settle } = await place();
  const first = ada.ask("mail__act");
  for (let waited = 0; waited < 4500; waited += 500) await clock.advance(500);
  expect(await first).toMatchObject({ code: "not_connected", certainty: "not_applied" });
  const second = ada.ask("mail__act");
  mail.fail(new Error("connection refused"));
  await settle();
  await clock.advance(50);
  expect(await second).toMatchObject({ code: "not_connected" });
});

test("a name that no server bears is answered at once", async () => {
  const { ada } = await place();
  expect(await ada.ask("nobody__act")).toMatchObject({ code: "tool_not_found" });
});
