/** How soon the program serves again on a large log after a kill -9; the figures are printed, and only ten times the goal fails. */
import { expect, test } from "bun:test";
import { programUnderTest } from "./gateway.ts";
import { measureRecovery, recoveryLine } from "./recovery-times.ts";

/** The goal is 2 s. */
const BOUND_MS = 20_000;

for (const snapshots of [false, true])
  test(`a log of 100,000 events ${snapshots ? "with" : "without"} snapshots is served again`, async () => {
    const recovery = await measureRecovery(programUnderTest(), 100_000, snapshots);
    console.log(recoveryLine(recovery));
    expect(Math.max(...recovery.readyMs)).toBeLessThan(BOUND_MS);
  }, 120_000);
