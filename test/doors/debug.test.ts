import { expect, test } from "bun:test";
import { text } from "../harness.ts";
import { bench, MAIL_ID, rows } from "./debug-fixture.ts";

const LOST = { kind: "lost", reason: "the process ended" } as const;

test("a call is listed with its session's name, and shown as a timeline with verdict, rule, arguments and result", async () => {
  const gateway = await bench();
  const { call } = await (await gateway.session("s_1")).ask("mail__send", { to: "bob" });
  const list = await gateway.json("/debug/api/calls");
  expect(rows(list, "calls")).toMatchObject([
    { id: call, call, session: "s_1", agent: "ada", server: "mail", tool: "send", status: "ended", certainty: "answered" },
  ]);
  expect(list.position).toBe(gateway.log.head.position);
  const shown = await gateway.json(`/debug/api/calls/${call}`);
  expect(shown).toMatchObject({ id: call, arguments: { to: "bob" }, result: { content: [{ type: "text", text: "sent" }] } });
  expect(rows(shown, "timeline").map(({ type, verdict, rule }) => [type, verdict, rule])).toEqual([
    ["call.requested", "allowed", "default-allow"],
    ["call.dispatched", "sent", undefined],
    ["call.settled", "answered", undefined],
    ["call.answered", "answered", undefined],
  ]);
  expect(shown.position).toBe(gateway.log.head.position);
});

test("a refused call tells the rule and keeps its arguments", async () => {
  const gateway = await bench();
  const { call } = await (await gateway.session("s_1")).ask("mail__nothing", { a: 1 });
  const shown = await gateway.json(`/debug/api/calls/${call}`);
  expect(shown).toMatchObject({ code: "tool_not_found", certainty: "not_applied", arguments: { a: 1 } });
  expect(shown["result"]).toBeUndefined();
  expect(rows(shown, "timeline")).toMatchObject([{ type: "call.refused", verdict: "refused", rule: "unknown-tool" }]);
});

test("calls page forward by position and are filtered by status, capability, session, server and name", async () => {
  const gateway = await bench();
  const [one, two] = [await gateway.session("s_1"), await gateway.session("s_2")];
  for (const [session, name] of [
    [one, "mail__send"],
    [one, "mail__look"],
    [two, "mail__send"],
    [two, "mail__none"],
  ] as const)
    await session.ask(name);
  const names = async (query: string) =>
    rows(await gateway.json(`/debug/api/calls?${query}`), "calls").map(({ session, name }) => `${session} ${name}`);
  const first = await gateway.json("/debug/api/calls?limit=3");
  expect(rows(first, "calls")).toHaveLength(3);
  const last = rows(first, "calls").at(-1)?.["position"];
  expect(await names(`after=${last}`)).toEqual(["s_2 mail__none"]);
  expect(await names("type=read")).toEqual(["s_1 mail__look"]);
  expect(await names("status=not_applied")).toEqual(["s_2 mail__none"]);
  expect(await names("session=s_2&name=mail__send")).toEqual(["s_2 mail__send"]);
  expect(await names("session=s_1&server=mail")).toEqual(["s_1 mail__send", "s_1 mail__look"]);
});

test("a running call is in flight in the list, in its session and at its server", async () => {
  const gateway = await bench();
  const answer = Promise.withResolvers<ReturnType<typeof text>>();
  gateway.mail.answer = () => answer.promise;
  const ended = (await gateway.session("s_1")).ask("mail__send");
  await gateway.settle();
  expect(rows(await gateway.json("/debug/api/calls?status=in_flight"), "calls")).toHaveLength(1);
  expect(rows(await gateway.json("/debug/api/sessions/s_1"), "openCalls")).toMatchObject([{ name: "mail__send", status: "in_flight" }]);
  expect(await gateway.json("/debug/api/servers/mail")).toMatchObject({
    inFlight: 1,
    waiting: 0,
    inDoubt: 0,
    openCalls: [{ name: "mail__send" }],
  });
  expect((await gateway.json("/debug/api/status"))["calls"]).toEqual({ inFlight: 1, waiting: 0, inDoubt: 0 });
  answer.resolve(text("at last"));
  await ended;
  expect((await gateway.json("/debug/api/status"))["calls"]).toEqual({ inFlight: 0, waiting: 0, inDoubt: 0 });
});

test("a doubt is listed until it is resolved, and what the session has not been told is shown", async () => {
  const gateway = await bench();
  gateway.mail.answer = async () => LOST;
  const { call } = await (await gateway.session("s_1")).ask("mail__send", { to: "bob" });
  expect(rows(await gateway.json("/debug/api/doubts?status=open"), "doubts")).toMatchObject([
    { call, session: "s_1", server: "mail", tool: "send", since: expect.any(Number), argumentsDigest: expect.any(String) },
  ]);
  await gateway.runtime.enter("server/mail", { type: "resolve", call, outcome: "applied", by: "operator:op", payload: "seen it" });
  expect(rows(await gateway.json("/debug/api/doubts?status=open"), "doubts")).toEqual([]);
  expect(rows(await gateway.json("/debug/api/doubts"), "doubts")).toMatchObject([{ call, outcome: "applied", by: "operator:op" }]);
  expect((await gateway.json("/debug/api/sessions/s_1"))["notices"]).toEqual([call]);
  const shown = await gateway.json(`/debug/api/calls/${call}`);
  expect(shown).toMatchObject({ certainty: "in_doubt", resolution: "applied", doubt: { outcome: "applied" } });
  expect(shown["result"]).toBeUndefined(); // a note is not a result
});

test("servers are listed with state and reason, the built-in one only on demand", async () => {
  const gateway = await bench();
  const { servers } = await gateway.json("/debug/api/servers");
  expect(servers).toMatchObject([
    { name: "asleep", state: "disabled" },
    { name: "mail", id: MAIL_ID, origin: "operator", state: "connected", transport: "stdio", era: "legacy", toolCount: 2 },
    { name: "broken", state: "refused", reason: "TOKEN is not set", toolCount: 0 },
  ]);
  const names = async (query: string) => rows(await gateway.json(`/debug/api/servers?${query}`), "servers").map(({ name }) => name);
  expect(await names("status=refused")).toEqual(["broken"]);
  expect(await names("type=builtin")).toEqual(["builtin"]);
  const [, mail] = servers as { position: number }[];
  expect(await names(`after=${mail?.position}`)).toEqual(["broken"]);
});

test("a server is shown with its tools, and its stderr without secrets", async () => {
  const gateway = await bench();
  gateway.vault.register([{ name: "key", value: "hunter2-hunter2-hunter2" }]);
  gateway.mail.stderr = ["starting", "token is hunter2-hunter2-hunter2"];
  const shown = await gateway.json("/debug/api/servers/MAIL");
  expect(shown).toMatchObject({ name: "mail", pid: 4242, inFlight: 0 });
  expect(rows(shown, "tools")).toMatchObject([
    { name: "mail__send", tool: "send", capability: "mutating", offered: true, definition: { name: "send" } },
    { name: "mail__look", tool: "look", capability: "read", offered: true },
  ]);
  expect(JSON.stringify(shown["stderr"])).toContain("token is ");
  expect(JSON.stringify(shown)).not.toContain("hunter2");
});

test("sessions are listed and found by id or name, with their connections", async () => {
  const gateway = await bench();
  await gateway.session("s_1");
  const opening = { type: "open", agent: "bob", name: "desk", client: "test", era: "legacy", profile: "default" };
  await gateway.runtime.enter("session/s_2", opening);
  await gateway.runtime.enter("session/s_2", { type: "connect", connection: "c1", payload: {} });
  await gateway.runtime.enter("session/s_2", { type: "disconnect", connection: "c1" });
  const all = rows(await gateway.json("/debug/api/sessions"), "sessions");
  expect(all.map(({ id, status }) => [id, status])).toEqual([
    ["s_1", "open"],
    ["s_2", "closed"],
  ]);
  expect(rows(await gateway.json(`/debug/api/sessions?after=${all[0]?.["position"]}`), "sessions")).toHaveLength(1);
  expect(rows(await gateway.json("/debug/api/sessions?type=rest&status=open&agent=ada"), "sessions")).toHaveLength(1);
  const shown = await gateway.json("/debug/api/sessions/desk");
  expect(shown).toMatchObject({ id: "s_2", agent: "bob", connections: [{ id: "c1", open: false }], openCalls: [], notices: [] });
});

test("head and status tell where the log stands and what is configured", async () => {
  const gateway = await bench({ ports: { checkpoint: () => "note" } });
  await gateway.session("s_1");
  const { position, hash } = gateway.log.head;
  expect(await gateway.json("/debug/api/head")).toMatchObject({ position, hash, log: gateway.log.id, checkpoint: "note" });
  expect(await gateway.json("/debug/api/status")).toMatchObject({
    position,
    config: { digest: "d2", errors: [] },
    servers: { connected: 1, refused: 1 },
    sessions: { known: 1 },
    degraded: [],
  });
});

test("what is not there or not understood is said", async () => {
  const gateway = await bench();
  const failures: Record<string, number> = {
    "/debug/api/calls/c_none": 404,
    "/debug/api/sessions/s_none": 404,
    "/debug/api/servers/none": 404,
    "/debug/api/state/server/none": 404,
    "/debug/api/state/tools.offered": 404,
    "/debug/api/schedules": 404,
    "/debug/api/questions?status=pending": 400,
    "/debug/api/tasks?type=mine": 400,
    "/debug/api/constructor": 404,
    "/debug/api/events/else": 404,
    "/debug": 404,
    "/debug/api/calls?limit=0": 400,
    "/debug/api/calls?limit=many": 400,
    "/debug/api/events?after=-1": 400,
    "/debug/api/calls?status=lost": 400,
    "/debug/api/doubts?status=lost": 400,
    "/debug/api/state/registry?at=yesterday": 400,
    "/debug/api/state/registry?at=999999": 400,
    "/debug/api/events/stream?after=999999": 400,
    "/debug/api/calls/%E0%A4%A": 400,
  };
  for (const [path, status] of Object.entries(failures)) expect([path, (await gateway.get(path)).status]).toEqual([path, status]);
  const { error } = (await (await gateway.get("/debug/api/calls?status=lost")).json()) as { error: { code: string; message: string } };
  expect(error).toMatchObject({ code: "invalid_arguments", message: expect.stringContaining("in_flight") });
  const later = (await (await gateway.get("/debug/api/schedules")).json()) as { error: { message: string } };
  expect(later.error.message).toContain("later");
});
