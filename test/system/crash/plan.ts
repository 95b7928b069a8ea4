/** Which kills a run makes, in which order, on which folder: drawn from a seed. */
import type { Random } from "./random.ts";

export interface Kill {
  /** A failpoint of the program, or one of ours: at any time under load, during the start, while the WAL is copied, while it stops. */
  readonly point: Point;
  /** Failpoints: the n-th passing. Ours: milliseconds to wait. */
  readonly n: number;
  /** It may end the process before its recovery is done. */
  readonly early: boolean;
}

export const FAILPOINTS = [
  "before_append",
  "before_begin",
  "before_commit",
  "after_commit",
  "before_send",
  "after_answer",
  "before_checkpoint",
  "before_anchor",
] as const;
type Failpoint = (typeof FAILPOINTS)[number];
export type Point = Failpoint | "in_checkpoint" | "starting" | "stopping" | "random";

/** How many of each, and which passing: far enough that calls are in flight, unless `early`. */
const UNDER_LOAD: Readonly<Record<Point, { readonly times: number; readonly from: number; readonly to: number }>> = {
  before_append: { times: 18, from: 60, to: 250 },
  before_begin: { times: 18, from: 30, to: 120 },
  before_commit: { times: 18, from: 30, to: 120 },
  after_commit: { times: 18, from: 30, to: 120 },
  before_send: { times: 26, from: 25, to: 150 },
  after_answer: { times: 26, from: 10, to: 120 },
  before_checkpoint: { times: 18, from: 2, to: 4 },
  before_anchor: { times: 18, from: 2, to: 4 },
  in_checkpoint: { times: 36, from: 0, to: 0 },
  starting: { times: 16, from: 20, to: 250 },
  stopping: { times: 12, from: 0, to: 60 },
  random: { times: 50, from: 0, to: 300 },
};
/** In the recovery of the crash before, in the start, or before the servers are connected. */
const EARLY: Partial<Record<Point, number>> = { before_append: 8, before_begin: 6, before_commit: 8, after_commit: 8 };
const EARLY_PASSINGS = 7;
/** After three starts that end in the recovery of one address it is skipped, which is tested on its own. */
const EARLY_IN_A_ROW = 2;

/** All kills, dealt to so many folders. */
export function planOf(random: Random, folders: number): Kill[][] {
  const all: Kill[] = [];
  for (const [name, { times, from, to }] of Object.entries(UNDER_LOAD)) {
    const point = name as Point;
    for (let i = 0; i < times; i++) all.push({ point, n: random.between(from, to), early: point === "starting" });
    for (let i = 0; i < (EARLY[point] ?? 0); i++) all.push({ point, n: random.between(1, EARLY_PASSINGS), early: true });
  }
  const plans: Kill[][] = Array.from({ length: folders }, () => []);
  for (const [index, kill] of random.shuffled(all).entries()) plans[index % folders]?.push(kill);
  return plans.map(spaced);
}

/** Further kills at a point, under load. */
export function moreAt(random: Random, point: Point, times: number): Kill[] {
  const { from, to } = UNDER_LOAD[point];
  return Array.from({ length: times }, () => ({ point, n: random.between(from, to), early: false }));
}

/** The same kills with never more than two early ones in a row; early ones that are left over at the end are dropped. */
function spaced(plan: readonly Kill[]): Kill[] {
  const early = plan.filter((kill) => kill.early);
  const ordered: Kill[] = [];
  let row = 0;
  for (const kill of plan.filter((each) => !each.early)) {
    while (row < EARLY_IN_A_ROW && early.length > 0 && ordered.length > 0) {
      ordered.push(early.shift() ?? kill);
      row++;
    }
    ordered.push(kill);
    row = 0;
  }
  return ordered;
}
