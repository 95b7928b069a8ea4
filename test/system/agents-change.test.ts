/** An agent that loses its token, or gets a stricter profile, while a call of it waits for people. */

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { asOperator, fixtureServer, makePlace, type Place, send, startDaemon, until, verb } from "./daemon-fixture.ts";

const TOKEN = "token-of-ada-0123456789abcdef0123456789abcdef";
const tokenHash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const ADA = { name: "ada", tokenHash: tokenHash(TOKEN), profile: "supervised" };
const BOB = { name: "bob", tokenHash: tokenHash(`${TOKEN}-of-bob`) };
const config = (...agents: readonly object[]) => ({ agents, bridge: { configPollSeconds: 1 }, mcpServers: { one: fixtureServer() } });

const rows = async (url: string, place: Place, path: string, list: string) =>
  (await send(url, path, undefined, asOperator(place))).json[list] as { id: string; status: string }[];

/** A call of ada that waits for an approval. */
async function asking(place: Place, url: string) {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const askFor = (text: string) => send(url, "/v1/tools/one__echo/call", { arguments: { text } }, headers);
  await until("the server is there", async () => (await send(url, "/v1/tools", undefined, headers)).text.includes("one__echo"));
  const answer = askFor("hello");
  const [approval] = await until("people are asked", async () => {
    const open = await rows(url, place, "/v1/approvals?status=pending", "approvals");
    return open.length > 0 ? open : undefined;
  });
  return { answer, id: approval?.id ?? "", askFor };
}

test("nothing is sent for an agent that is gone, and its call does not hang", async () => {
  using place = makePlace(config(ADA, BOB));
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  const { answer, id } = await asking(place, url);
  place.configure(config(BOB));
  expect((await answer).json["error"]).toMatchObject({ code: "cancelled", certainty: "not_applied" });
  expect((await send(url, `/v1/approvals/${id}`, { verdict: "approve" }, asOperator(place))).status).toBe(409);
  await daemon.stop();
  expect(await verb(place, "verify", "--deep")).toMatchObject({ code: 0 });
}, 30_000);

test("an approval does not help an agent that may only read by now", async () => {
  using place = makePlace(config(ADA));
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  const { answer, id } = await asking(place, url);
  place.configure(config({ ...ADA, profile: "restricted" }));
  await until("it has the other profile", async () =>
    (await send(url, "/debug/api/events?type=session.profiled", undefined, asOperator(place))).text.includes("restricted"),
  );
  await send(url, `/v1/approvals/${id}`, { verdict: "approve" }, asOperator(place));
  expect((await answer).json["error"]).toMatchObject({ code: "refused", certainty: "not_applied" });
}, 30_000);
