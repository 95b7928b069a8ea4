/** A server that is killed again and again under load: each request has one answer, nothing is done twice, one child lives, no tool is left over. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, call, isAlive, makePlace, REPOSITORY, send, startDaemon, until, verb, whenServed } from "./daemon-fixture.ts";

const RESTARTS = 20;
const CALLERS = 8;
const SERVER = join(REPOSITORY, "test", "fixtures", "servers", "generation-server.ts");

const linesOf = (file: string): string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);
const certaintyOf = ({ status, json }: Answer) =>
  status === 200 ? "answered" : (json["error"] as { certainty?: string } | undefined)?.certainty;

test(`${RESTARTS} restarts under concurrent calls`, async () => {
  using place = makePlace();
  const [lives, acts] = [join(place.root, "lives"), join(place.root, "acts")];
  writeFileSync(acts, "");
  place.configure({
    bridge: { connectRetryBaseDelayMs: 20 },
    mcpServers: { gen: { command: process.execPath, args: [SERVER], env: { LIVES: lives, ACTS: acts }, trusted: true } },
  });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "gen__act", { key: "first", ms: 0 });

  const answers = new Map<string, Answer>();
  let asked = 0;
  let isOver = false;
  const caller = async () => {
    while (!isOver) {
      const key = `k${++asked}`;
      answers.set(key, await call(url, "gen__act", { key, ms: asked % 20 }));
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  const alive = () => linesOf(lives).filter((pid) => isAlive(Number(pid)));
  for (let restart = 1; restart <= RESTARTS; restart++) {
    const before = linesOf(acts).length;
    await until("calls go through", () => linesOf(acts).length > before + CALLERS);
    process.kill(Number(linesOf(lives).at(-1)), "SIGKILL");
    await until("it lives again", () => linesOf(lives).length > restart);
    expect(alive()).toHaveLength(1);
  }
  isOver = true;
  await Promise.all(callers);

  const tools = await until("its last tools are listed", async () => {
    const { json } = await send(url, "/v1/tools");
    const names = (json["tools"] as { name: string }[]).map(({ name }) => name).filter((name) => name.startsWith("gen__"));
    return names.includes(`gen__only_${RESTARTS + 1}`) && names;
  });
  expect(tools).toEqual(["gen__act", `gen__only_${RESTARTS + 1}`]);
  expect((await call(url, `gen__only_${RESTARTS}`)).status).toBe(404);
  expect([linesOf(lives).length, alive()]).toEqual([RESTARTS + 1, [linesOf(lives).at(-1) ?? ""]]);

  const done = linesOf(acts);
  expect(new Set(done).size).toBe(done.length);
  expect(answers.size).toBe(asked);
  for (const [key, answer] of answers) {
    const certainty = certaintyOf(answer);
    expect(["answered", "in_doubt", "not_applied"]).toContain(String(certainty));
    if (certainty === "answered") expect(answer.json["content"]).toContainEqual({ type: "text", text: key });
    if (certainty !== "in_doubt") expect([key, done.includes(key)]).toEqual([key, certainty === "answered"]);
  }

  expect(await daemon.stop()).toBe(0);
  expect(alive()).toEqual([]);
  const ends = new Map<string, number>();
  const requested = new Set<string>();
  for (const line of (await verb(place, "events", "--json")).output.split("\n").filter(Boolean)) {
    const { type, call: id } = JSON.parse(line) as { type: string; call?: string };
    if (id === undefined) continue;
    if (type === "call.requested") requested.add(id);
    if (type === "call.refused" || type === "call.answered") ends.set(id, (ends.get(id) ?? 0) + 1);
  }
  expect([...requested].filter((id) => ends.get(id) !== 1)).toEqual([]);
  expect(requested.size).toBeGreaterThanOrEqual(asked);
  expect((await verb(place, "verify")).code).toBe(0);
}, 60_000);
