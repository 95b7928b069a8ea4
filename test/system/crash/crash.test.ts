/** Three hundred kills with -9: nothing acknowledged is lost, nothing is sent twice, every call has one end. CRASH_SEED repeats a run. */
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { makePlace, programUnderTest } from "./gateway.ts";
import { type Life, liveThrough } from "./life.ts";
import { FAILPOINTS, type Kill, moreAt, type Point, planOf } from "./plan.ts";
import { randomOf } from "./random.ts";

const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000_000);
const AT_ONCE = 2;
/** Few slots make calls wait; a server that stays alive must be found and ended. */
const FOLDERS = [{}, { slots: 8 }, { stay: true }, { slots: 12, stay: true }];
/** How often every point must have been hit, and how many kills must have met so many calls. */
const HITS = 10;
const BUSY = { kills: 100, calls: 8 };

test("300 kills at failpoints and at random moments lose no answer, repeat no call and leave no call open", async () => {
  console.log(`crash suite: CRASH_SEED=${seed}`);
  const random = randomOf(seed);
  const binary = programUnderTest();
  const lives: Life[] = [];
  const isSound = () => lives.every(({ violations }) => violations.length === 0);
  let folders = 0;
  const live = async (plan: readonly Kill[]) => {
    const index = folders++;
    const place = makePlace(FOLDERS[index % FOLDERS.length]);
    const life = await liveThrough(binary, place, `f${index}`, plan, randomOf(seed + index + 1));
    lives.push(life);
    if (life.violations.length === 0) rmSync(place.root, { recursive: true });
    else console.error(`CRASH_SEED=${seed}: the folder is kept: ${place.root}`);
  };
  const waiting = planOf(random, FOLDERS.length);
  const work = async () => {
    for (let plan = waiting.shift(); plan; plan = waiting.shift()) await live(plan);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // Which kills meet what they are meant for is a matter of moments: they go on until enough did, and only the test's limit ends that.
  for (let more = lacking(lives); more.length > 0 && isSound(); more = lacking(lives)) {
    console.log(`more of ${more.map(([point, lacks]) => `${point} (${lacks})`).join(", ")}`);
    await live(more.flatMap(([point, lacks]) => moreAt(random, point, 2 * lacks)));
  }
  report(lives);
  expect(lives.flatMap(({ violations }) => violations)).toEqual([]);
  const killed = lives.flatMap((life) => life.killed);
  expect(killed.length).toBeGreaterThanOrEqual(300);
}, 600_000);

/** The points that too few kills have hit so far, and how many each lacks; where too few met calls in flight, a point that most often does. */
function lacking(lives: readonly Life[]): (readonly [Point, number])[] {
  const killed = lives.flatMap((life) => life.killed);
  const hitsOf = (point: Point) => killed.filter(({ kill, hit }) => hit && kill.point === point).length;
  const busy = killed.filter(({ mutatingInFlight }) => mutatingInFlight >= BUSY.calls).length;
  const points = [...FAILPOINTS, "in_checkpoint"] as const;
  const lacks = [...points.map((point) => [point, HITS - hitsOf(point)] as const), ["before_send", BUSY.kills - busy] as const];
  return lacks.filter(([, number]) => number > 0);
}

function report(lives: readonly Life[]): void {
  const killed = lives.flatMap((life) => life.killed);
  for (const point of new Set(killed.map(({ kill }) => kill.point)) as Set<Point>) {
    const of = killed.filter(({ kill }) => kill.point === point);
    const hits = of.filter(({ hit }) => hit).length;
    const early = of.filter(({ kill, hit }) => hit && kill.early).length;
    const busy = of.filter(({ mutatingInFlight }) => mutatingInFlight >= BUSY.calls).length;
    console.log(`${point.padEnd(18)} ${hits} hit of ${of.length} (${early} in a start), ${busy} with ≥ 8 mutating calls in flight`);
  }
  const ready = killed.flatMap(({ readyMs }) => readyMs ?? []).sort((a, b) => a - b);
  const at = (part: number) => Math.round(ready[Math.min(ready.length - 1, Math.floor(ready.length * part))] ?? 0);
  const ends: Record<string, number> = {};
  for (const { ledger } of lives) for (const [name, count] of Object.entries(ledger.ends)) ends[name] = (ends[name] ?? 0) + count;
  console.log(
    `${killed.length} kills, ${killed.filter(({ mutatingInFlight }) => mutatingInFlight >= BUSY.calls).length} with ≥ 8 mutating calls in flight`,
  );
  console.log(
    `answers that clients got: ${lives.reduce((sum, { client }) => sum + client.acknowledged.length, 0)}; ends: ${JSON.stringify(ends)}`,
  );
  console.log(`events: ${lives.reduce((sum, { ledger }) => sum + ledger.position, 0)}; ready again p50 ${at(0.5)} ms, max ${at(1)} ms`);
}
