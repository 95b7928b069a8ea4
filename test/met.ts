/** Properties whose values must also reach every side of what they say: checked on new values in every run, and counted on values that never change. */
import fc from "fast-check";

const SEED = 20_260_101;

/**
 * Checks `runs` values that are new every time, and `counted` values that are always the same; gives what `check` returned for the latter,
 * in their order. How often a side is met there is no matter of luck: only a change of the test or of fast-check changes it.
 */
export async function metWherever<T, Met>(
  values: fc.Arbitrary<T>,
  check: (value: T) => Met | Promise<Met>,
  { runs, counted }: { readonly runs: number; readonly counted: number },
): Promise<readonly Met[]> {
  await fc.assert(
    fc.asyncProperty(values, async (value) => void (await check(value))),
    { numRuns: runs },
  );
  const met: Met[] = [];
  await fc.assert(
    fc.asyncProperty(values, async (value) => void met.push(await check(value))),
    { numRuns: counted, seed: SEED },
  );
  return met;
}
