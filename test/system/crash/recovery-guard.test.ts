/** A recovery that ends the process again and again: the address is skipped, the program serves, and a later start settles what was left. */
import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions } from "../../../events/all.ts";
import { openReader } from "../../../src/log/reader.ts";
import { makePlace, type Place, programUnderTest, startGateway } from "./gateway.ts";

const binary = programUnderTest();

interface Row {
  readonly status: string;
  readonly certainty: string | null;
  readonly count: number;
}

function read<T extends object>(place: Place, sql: string): T[] {
  const reader = openReader(place.data, eventDefinitions);
  try {
    return reader.query<T>(sql);
  } finally {
    reader.close();
  }
}
const calls = (place: Place) => read<Row>(place, "select status, certainty, count(*) as count from calls group by 1, 2 order by 1, 2");
const act = (url: string, key: string, ms: number) =>
  fetch(`${url}/v1/tools/deed__act/call`, { method: "POST", body: JSON.stringify({ arguments: { key, ms } }) });

async function started(place: Place, failpoint?: string) {
  const gateway = startGateway(binary, place, failpoint);
  return { gateway, url: await gateway.url };
}

test("three starts that die while one server is recovered: the fourth skips it and serves, the fifth settles its calls", async () => {
  const place = makePlace();
  const acts = () => readFileSync(place.acts, "utf8").split("\n").filter(Boolean);
  const first = await started(place);
  const url = first.url ?? "";
  while ((await act(url, "warm", 0)).status !== 200) await Bun.sleep(20);
  const slow = Array.from({ length: 8 }, (_, index) => act(url, `slow-${index}`, 60_000).catch(() => undefined));
  while (acts().filter((key) => key.startsWith("slow")).length < slow.length) await Bun.sleep(20);
  first.gateway.kill("SIGKILL");
  await Promise.all(slow);

  // One session has something to settle, in the first turn of the first start; the next turn is the server's.
  for (const passing of [2, 1, 1]) expect((await started(place, `before_append:${passing}`)).url).toBeUndefined();
  expect(JSON.parse(readFileSync(join(place.data, "starting"), "utf8"))).toEqual({ address: "server/deed", attempts: 3 });
  expect(calls(place)).toContainEqual({ status: "in_flight", certainty: null, count: slow.length });

  const fourth = await started(place);
  expect(fourth.url).toBeDefined();
  // What is in flight there is not known to this start, so nothing may pass: it could be the same call once more.
  const again = async () => (await (await act(fourth.url ?? "", "slow-0", 0)).json()) as { error?: { code: string } };
  let answer = await again();
  while (answer.error?.code === "not_connected") answer = await again();
  expect(answer).toMatchObject({ error: { code: "internal", certainty: "not_applied" } });
  const other = await fetch(`${fourth.url}/v1/tools/mcp_list_services/call`, { method: "POST", body: "{}" });
  expect(other.status).toBe(200);
  const failed = read<{ data: string }>(place, "select e.data from events e join names n on n.id = e.type where n.name = 'turn.failed'");
  expect(JSON.parse(failed[0]?.data ?? "{}")).toMatchObject({ to: "server/deed", command: "recover" });
  fourth.gateway.kill("SIGTERM");
  await fourth.gateway.ended;

  const fifth = await started(place);
  expect(fifth.url).toBeDefined();
  expect(calls(place)).toContainEqual({ status: "ended", certainty: "in_doubt", count: slow.length });
  expect(calls(place).filter(({ status }) => status !== "ended")).toEqual([]);
  expect(new Set(acts()).size).toBe(acts().length);
  fifth.gateway.kill("SIGTERM");
  await fifth.gateway.ended;
  rmSync(place.root, { recursive: true });
}, 60_000);
