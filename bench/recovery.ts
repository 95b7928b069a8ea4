/**
 * How soon the program serves again after a kill -9 on large logs: 100,000 events without snapshots (goal 2 s), 1,000,000 with (goal 1 s).
 *   bun bench/recovery.ts
 */
import { programUnderTest } from "../test/system/crash/gateway.ts";
import { measureRecovery, recoveryLine } from "../test/system/crash/recovery-times.ts";

const CASES = [
  { events: 100_000, snapshots: false },
  { events: 100_000, snapshots: true },
  { events: 1_000_000, snapshots: true },
] as const;

for (const { events, snapshots } of CASES) console.log(recoveryLine(await measureRecovery(programUnderTest(), events, snapshots)));
