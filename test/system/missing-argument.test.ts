/** A real server whose tools miss an argument, behind the daemon: a read is answered after one silent repeat, what may act is executed once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asOperator, call, type Daemon, makePlace, type Place, REPOSITORY, send, startDaemon, until } from "./daemon-fixture.ts";

const ZONE = "Asia/Kolkata";
let place: Place;
let daemon: Daemon;
let url: string;

beforeAll(async () => {
  place = makePlace();
  const server = {
    command: process.execPath,
    args: [join(REPOSITORY, "test", "fixtures", "servers", "zone-server.ts")],
    env: { ZONE_FILE: join(place.root, "executed") },
    tools: { clock: { capability: "read" } },
  };
  place.configure({ mcpServers: { zone: server } });
  daemon = startDaemon(place, { env: { TZ: ZONE } });
  url = await daemon.url;
  await until("its tools are offered", async () => (await send(url, "/v1/tools")).text.includes("zone__clock"));
});
afterAll(async () => {
  await daemon.stop();
  place[Symbol.dispose]();
});

const executed = (tool: string): unknown[] => {
  const file = join(place.root, "executed");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return lines.map((line) => JSON.parse(line) as [string, unknown]).flatMap(([of, args]) => (of === tool ? [args] : []));
};
const timeline = async (id: unknown) => {
  const { json } = await send(url, `/debug/api/calls/${id}`, undefined, asOperator(place));
  return (json["timeline"] as { type: string; verdict?: string }[]).map(({ type, verdict }) => [type, verdict]);
};

test("a read is answered after one silent repeat, and the log shows both legs", async () => {
  const { json } = await call(url, "zone__clock", { city: "Pune" });
  expect(json).toMatchObject({ isError: false, content: [{ type: "text", text: `clock in ${ZONE}` }] });
  expect(json["content"]).toHaveLength(1);
  expect(executed("clock")).toEqual([{ city: "Pune" }, { city: "Pune", timezone: ZONE }]);
  expect(await timeline(json["callId"])).toEqual([
    ["call.requested", "allowed"],
    ["call.dispatched", "sent"],
    ["call.repeated", "sent again"],
    ["call.settled", "answered"],
    ["call.answered", "answered"],
  ]);
});

test("what may act is executed once, and told what would help", async () => {
  const { json } = await call(url, "zone__book", { city: "Pune" });
  const [said, note, ...more] = (json["content"] as { text: string }[]).map(({ text }) => text);
  expect(json["isError"]).toBe(true);
  expect(said).toBe("Required parameter 'timezone' is missing.");
  expect(note).toStartWith('Note from toolcrib, not from the tool: The argument "timezone" is missing.');
  expect(note).toContain(`it would be "${ZONE}" here`);
  expect(more).toEqual([]);
  expect(executed("book")).toEqual([{ city: "Pune" }]);
  expect((await timeline(json["callId"])).map(([type]) => type)).not.toContain("call.repeated");
});

test("a call without a required key is not sent", async () => {
  const { status, json } = await call(url, "zone__need", { timezone: "UTC" });
  expect(status).toBe(400);
  expect(json["error"]).toMatchObject({ code: "invalid_arguments", certainty: "not_applied" });
  expect((json["error"] as { message: string }).message).toContain('zone__need needs "city", and the call has "timezone"');
  expect((await call(url, "zone__need", { timezone: "UTC", city: "Oslo" })).json["isError"]).toBe(false);
  expect(executed("need")).toEqual([{ timezone: "UTC", city: "Oslo" }]);
});
