/** Calls that go round in circles: the same one again with the same result, or a few in turn and nothing new. */
import { mayGoInCircles, type Recent, recentAt, signatureOf } from "./counts.ts";
import type { Gate } from "./gate.ts";

/** What still runs may come to the same. */
const agree = (one: Recent, other: Recent): boolean =>
  one.result === undefined || other.result === undefined || one.result === other.result;

/** The newest call with this signature before the one at `end`. */
const before = (recent: readonly Recent[], end: number, signature: string): number =>
  recent.findLastIndex((one, index) => index < end && one.signature === signature);

/** A repeat that came to what it had come to before. */
function isStale(recent: readonly Recent[], index: number): boolean {
  const one = recent[index];
  const earlier = one && recent[before(recent, index, one.signature)];
  return one !== undefined && earlier !== undefined && agree(one, earlier);
}

/** How often in a row, this time included, the call would have been made with the same result. */
export function repetitions(recent: readonly Recent[], signature: string): number {
  let run = 1;
  let known: string | undefined;
  for (const { signature: other, result } of recent.toReversed()) {
    if (other !== signature || (known !== undefined && result !== undefined && result !== known)) break;
    known ??= result;
    run++;
  }
  return run;
}

/** How many calls in a row, this one included, bring nothing that was not there before. */
export function staleCalls(recent: readonly Recent[], signature: string): number {
  const last = before(recent, recent.length, signature);
  if (last < 0) return 0;
  const isFirst = before(recent, last, signature) < 0;
  if (!isFirst && !isStale(recent, last)) return 0;
  let run = 1;
  while (isStale(recent, recent.length - run)) run++;
  return run;
}

export const spinGate: Gate = ({ name, offer, digest }, { profile, state, now }) => {
  if (!mayGoInCircles(offer, profile)) return [];
  const { repetition, window } = profile.limits.spin;
  const recent = recentAt(state.counts, now);
  const signature = signatureOf({ name, digest });
  if (repetition > 1 && repetitions(recent, signature) >= repetition)
    return [{ gate: "spin", outcome: "deny", rule: `spin.repetition:${repetition}`, code: "refused" }];
  if (window > 1 && staleCalls(recent, signature) >= window)
    return [{ gate: "spin", outcome: "deny", rule: `spin.window:${window}`, code: "refused" }];
  return [];
};
