/** Whatever agents, servers and crashes do: the rules hold. fast-check prints seed and path of a failure. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { keepBook } from "./invariants.ts";
import { live } from "./life.ts";
import { finish, steps, take } from "./steps.ts";

const RUNS = Number(process.env["TOOLCRIB_RUNS"] ?? 300);
/** Rules that are known to be broken, each with a test of its own in findings*.test.ts. Take a rule out when its finding is mended. */
const KNOWN = new Set<string>();

test(
  "in every random life the rules hold",
  async () => {
    const everyLife = fc.asyncProperty(steps, async (plan) => {
      const life = await live();
      const book = keepBook(life);
      const faults = () => [...new Set(book.faults)].filter((fault) => !KNOWN.has(fault.split(":")[0] ?? ""));
      for (const step of plan) {
        await take(life, step);
        if (step.do === "rest" || step.do === "restart" || step.do === "advance") book.check();
        if (faults().length > 0) break;
      }
      await finish(life);
      book.close();
      expect(faults()).toEqual([]);
      expect(life.world.failures).toEqual([]);
    });
    await fc.assert(everyLife, { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 60 });
  },
  60_000 + RUNS * 100,
);
