/** What was sealed of a question is in no file of the data folder any more, however the question ended, while the daemon runs on. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SEALED_DATABASE } from "../../src/secrets/sealed.ts";
import { askingServer } from "../fixtures/servers/asking-server.ts";
import { listen } from "../fixtures/servers/serve-fixture.ts";
import { asOperator, call, makePlace, type Place, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

/** Parts of what is sealed under an id. */
function partsOf({ data }: Place, id: string): Buffer[] {
  using db = new Database(join(data, SEALED_DATABASE), { readonly: true });
  const { value } = db.query<{ value: Uint8Array }, [string]>("select value from sealed where name = ?").get(id) ?? {};
  if (value === undefined) throw new Error(`nothing is sealed of ${id}`);
  return [0, value.length >> 1, value.length - 24].map((at) => Buffer.from(value.subarray(at, at + 24)));
}
/** Some files come and go. */
const bytesOf = (file: string): Buffer => {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
};
const filesWith = ({ data }: Place, parts: readonly Buffer[]): string[] =>
  readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((file) => parts.some((part) => bytesOf(file).includes(part)));

test("however a question ends, what was sealed of it is gone from all files", async () => {
  using place = makePlace();
  const servers = { desk: listen(askingServer()), forgets: listen(askingServer({ ttlSeconds: -1 })) };
  const entry = (url: string, more = {}) => ({ url, elicitation: { mode: "handback", ...more } });
  const base = { desk: entry(servers.desk.url), forgets: entry(servers.forgets.url) };
  const bridge = { maxPendingQuestionsPerSession: 9, configPollSeconds: 1 };
  place.configure({
    bridge,
    mcpServers: { ...base, hasty: entry(`${servers.desk.url}?a`, { handbackTtlMinutes: 0.02 }), leaves: entry(`${servers.desk.url}?b`) },
  });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  const asked = async (server: string) => {
    await whenServed(url, `${server}__plain`, { value: 1 });
    const { json } = await call(url, `${server}__send_mail`, { to: `grace of ${server}` });
    const { id } = (json["structuredContent"] as { question: { id: string } }).question;
    return { id, parts: partsOf(place, id) };
  };
  const statusOf = async (id: string) => {
    const { json } = await send(url, "/v1/questions", undefined, asOperator(place));
    return (json["questions"] as { id: string; status: string }[]).find((one) => one.id === id)?.status;
  };
  const gone = async ({ id, parts }: { readonly id: string; readonly parts: readonly Buffer[] }, status: string) => {
    await until(`${status}`, async () => (await statusOf(id)) === status);
    await until(`nothing is left of the one that was ${status}`, () => filesWith(place, parts).length === 0);
  };
  const answer = (id: string, given: object) => call(url, "mcp_answer", { question_id: id, ...given });

  const stays = await asked("desk");
  expect(filesWith(place, stays.parts).length).toBeGreaterThan(0);
  await gone(await asked("hasty"), "expired");
  const [answered, declined, forgotten, cancelled] = [
    await asked("desk"),
    await asked("desk"),
    await asked("forgets"),
    await asked("leaves"),
  ];
  await answer(answered.id, { answers: { mailbox: "work" } });
  await gone(answered, "answered");
  await answer(declined.id, { decline: true });
  await gone(declined, "declined");
  await answer(forgotten.id, { answers: { mailbox: "work" } });
  await gone(forgotten, "lapsed");
  place.configure({ bridge, mcpServers: base });
  await gone(cancelled, "cancelled");
  expect(filesWith(place, stays.parts).length).toBeGreaterThan(0);
  expect(await statusOf(stays.id)).toBe("open");
  for (const { stop } of Object.values(servers)) await stop();
}, 60_000);
