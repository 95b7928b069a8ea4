import { expect, test } from "bun:test";
import { connect } from "node:net";
import type { Log } from "../../src/log/log.ts";
import type { PageRequest } from "../../src/log/reader.ts";
import { memoryLog } from "../harness.ts";
import { bench, rows } from "./debug-fixture.ts";

test("the log is read by position, stream, type and call", async () => {
  const gateway = await bench();
  const session = await gateway.session("s_1");
  const { call } = await session.ask("mail__send");
  await session.ask("mail__look");
  const read = async (query: string) => rows(await gateway.json(`/debug/api/events?${query}`), "events");
  const types = async (query: string) => (await read(query)).map(({ type }) => type);
  const everything = await read("limit=5000");
  expect(everything.map(({ position }) => position)).toEqual(everything.map((_, index) => index + 1));
  expect(everything.at(-1)?.["position"]).toBe(gateway.log.head.position);
  expect(await types("limit=2&after=1")).toEqual(everything.slice(1, 3).map(({ type }) => type));
  expect(await types("type=call.answered")).toEqual(["call.answered", "call.answered"]);
  expect(await types("type=call.answered&limit=1")).toEqual(["call.answered"]);
  expect(await types("stream=session/s_1&limit=2")).toEqual(["session.opened", "call.requested"]);
  const answered = everything.find(({ type }) => type === "call.answered")?.["position"];
  expect(await types(`stream=session/s_1&after=${answered}`)).toEqual(["call.requested", "call.answered"]);
  expect(await types(`call=${call}`)).toEqual(["call.requested", "call.dispatched", "call.settled", "call.answered"]);
  expect(await types(`call=${call}&stream=server/mail&type=call.settled`)).toEqual(["call.settled"]);
  expect(await types("type=no.such")).toEqual([]);
  expect(await types("stream=session/none")).toEqual([]);
});

test("streams are listed in the order in which they began", async () => {
  const gateway = await bench();
  await gateway.session("s_1");
  const streams = rows(await gateway.json("/debug/api/streams"), "streams");
  expect(streams.map(({ stream }) => stream)).toEqual(["registry", "server/mail", "session/s_1"]);
  const sessions = rows(await gateway.json("/debug/api/streams?type=session"), "streams");
  expect(sessions).toMatchObject([{ stream: "session/s_1", kind: "session", version: 1, position: gateway.log.head.position }]);
});

test("the state of an actor is told as of a position and as of a time", async () => {
  const gateway = await bench();
  const session = await gateway.session("s_1");
  const before = gateway.log.head.position;
  await gateway.clock.advance(20_000);
  gateway.mail.answer = async () => ({ kind: "lost", reason: "gone" });
  const { call } = await session.ask("mail__send");
  const stateOf = (query: string) => gateway.json(`/debug/api/state/server/mail${query}`);
  expect(await stateOf("")).toMatchObject({ stream: "server/mail", state: { connected: true, inDoubt: { [call]: { tool: "send" } } } });
  expect(await stateOf(`?at=${before}`)).toMatchObject({ state: { connected: true, inDoubt: {} }, position: before, version: 1 });
  const time = new Date(gateway.clock.now() - 1).toISOString();
  expect(await stateOf(`?at=${time}`)).toMatchObject({ state: { inDoubt: {} }, position: before });
  const { state } = await gateway.json("/debug/api/state/registry");
  expect(state).toMatchObject({ servers: { mail: { offers: { send: { name: "mail__send" } } } } });
});

test("a snapshot shortens the fold, but not of a time before it", async () => {
  const gateway = await bench();
  const session = await gateway.session("s_1");
  const before = gateway.log.head.position;
  await session.ask("mail__send");
  const snapshot = gateway.runtime.actors.snapshots().find(({ stream }) => stream === "session/s_1");
  if (!snapshot) throw new Error("there is no snapshot to save");
  const marked = { ...snapshot, state: { ...(snapshot.state as object), client: "from the snapshot" } };
  gateway.log.saveSnapshot(marked);
  const clientAt = async (query: string) =>
    ((await gateway.json(`/debug/api/state/session/s_1${query}`))["state"] as { client: string }).client;
  expect(await clientAt("")).toBe("from the snapshot");
  expect(await clientAt(`?at=${before}`)).toBe("test");
  gateway.log.saveSnapshot({ ...marked, shape: marked.shape + 1 });
  expect(await clientAt("")).toBe("test");
});

/** Reads what a stream says until it is enough. */
async function follow(response: Response) {
  const reader = (response.body ?? new ReadableStream()).getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    async until(isEnough: (text: string) => boolean): Promise<string> {
      while (!isEnough(text)) {
        const { done, value } = await reader.read();
        if (done) break;
        text += decoder.decode(value as Uint8Array, { stream: true });
      }
      return text;
    },
    stop: () => reader.cancel(),
  };
}
const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

test("followers get what they missed and what is new, without a gap", async () => {
  const gateway = await bench();
  const session = await gateway.session("s_1");
  const client = await follow(await gateway.get("/debug/api/events/stream?after=2"));
  const calling = Promise.all(Array.from({ length: 60 }, () => session.ask("mail__look")));
  await client.until((text) => idsOf(text).length > 10);
  await calling;
  const end = gateway.log.head.position;
  const text = await client.until((all) => idsOf(all).at(-1) === end);
  expect(idsOf(text)).toEqual(Array.from({ length: end - 2 }, (_, index) => index + 3));
  expect(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "")).toMatchObject({ position: 3, stream: "registry" });
  await client.stop();
  expect(gateway.listeners.size).toBe(0);
});

test("a follower begins now, or where its last one ended, and sees only what it asked for", async () => {
  const gateway = await bench();
  const session = await gateway.session("s_1");
  const before = gateway.log.head.position;
  const fresh = await follow(await gateway.get("/debug/api/events/stream?type=call.answered"));
  await session.ask("mail__look");
  const after = gateway.log.head.position;
  expect(idsOf(await fresh.until((text) => idsOf(text).length > 0))).toEqual([after]);
  const resumed = await follow(await gateway.get("/debug/api/events/stream", { headers: { "last-event-id": String(before + 2) } }));
  expect(idsOf(await resumed.until((text) => idsOf(text).length > 1))).toEqual([before + 3, before + 4]);
  await Promise.all([fresh.stop(), resumed.stop()]);
});

test("a quiet stream has a heartbeat every five seconds, and ends when the program stops", async () => {
  const stopping = new AbortController();
  const gateway = await bench({ ports: { stopping: stopping.signal } });
  const client = await follow(await gateway.get("/debug/api/events/stream"));
  await client.until((text) => text.includes("after position"));
  await gateway.clock.advance(5000);
  await client.until((text) => text.includes(": at position"));
  stopping.abort();
  await client.until(() => false); // ends
  expect(gateway.listeners.size).toBe(0);
});

test("a reader that does not read is not buffered for: pages are read only as fast as they are taken", async () => {
  const log = memoryLog();
  const [model] = (await bench({ log })).log.page({ after: 0, limit: 1 });
  let pages = 0;
  const endless: Log = Object.assign(Object.create(log), {
    page: ({ after, limit }: PageRequest) => {
      if (++pages > 1000) throw new Error("it reads on and on");
      return Array.from({ length: limit }, (_, index) => ({ ...model, position: after + index + 1, payload: "x".repeat(4000) }));
    },
  });
  const gateway = await bench({ ports: { reader: endless } });
  const server = Bun.serve({ port: 0, fetch: (request) => gateway.get(new URL(request.url).pathname + new URL(request.url).search) });
  const socket = connect(server.port ?? 0, "127.0.0.1");
  socket.write("GET /debug/api/events/stream?after=0 HTTP/1.1\r\nhost: x\r\n\r\n");
  await new Promise((resolve) => socket.once("readable", resolve));
  socket.pause();
  for (let before = -1; before !== pages; await Bun.sleep(100)) before = pages; // until the sockets are full
  const atRest = pages;
  expect(atRest).toBeLessThan(500);
  socket.on("data", () => {});
  socket.resume();
  while (pages === atRest) await Bun.sleep(5); // goes on once it is read again
  socket.destroy();
  while (gateway.listeners.size > 0) await Bun.sleep(5);
  await server.stop(true);
});
