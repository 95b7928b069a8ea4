/** Whatever servers ask and leave to the background, whoever answers, and whenever we die: the rules of questions and tasks hold. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareServers, compareStates, emptyStory, told } from "./asking-checks.ts";
import { plans, rules } from "./asking-draws.ts";
import { askingLife } from "./asking-life.ts";
import { finish, take } from "./asking-steps.ts";
import { compareCanaries, compareEnd, compareForeign, compareHeard, compareNotices, compareTold } from "./asking-told.ts";

const RUNS = Number(process.env["TOOLCRIB_RUNS"] ?? 100);

test(
  "in every random life with questions and tasks the rules hold",
  async () => {
    const everyLife = fc.asyncProperty(rules, plans, async (of, plan) => {
      const life = await askingLife(of);
      const story = emptyStory();
      const faults: string[] = [];
      const fault = (rule: string, detail: string) => void faults.push(`${rule}: ${detail}`);
      let after = 0;
      const check = () => {
        for (const event of life.log.page({ after, limit: 100_000 })) {
          told(story, event, fault);
          after = event.position;
        }
        compareStates(life, story, fault);
        compareServers(life, story, fault);
        compareTold(life, story, fault);
        compareNotices(life, story, fault);
      };
      for (const step of plan) {
        await take(life, step);
        if (["rest", "advance", "restart", "configure"].includes(step.do)) check();
        if (faults.length > 0) break;
      }
      if (faults.length === 0) {
        await finish(life);
        check();
        compareEnd(life, story, fault);
        compareCanaries(life, fault);
        compareForeign(life, fault);
        compareHeard(life, story, fault);
      }
      expect([...new Set(faults)]).toEqual([]);
      expect(life.failures).toEqual([]);
    });
    await fc.assert(everyLife, { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 300 });
  },
  60_000 + RUNS * 400,
);
