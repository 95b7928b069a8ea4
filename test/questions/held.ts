/** What must be left in memory and in the store of sealed things when nothing is open any more: nothing. */
import { expect } from "bun:test";
import type { harness } from "../harness.ts";

type Place = Awaited<ReturnType<typeof harness>>;

/** `sealed`: of the place, where the test has it. */
export function expectNothingHeld(
  { questions, openCalls, views, failures }: Place,
  sealed?: { names(kind: string): readonly unknown[] },
): void {
  expect({ held: questions.held(), calls: openCalls.size, open: views.openQuestions(), failures }).toEqual({
    held: 0,
    calls: 0,
    open: 0,
    failures: [],
  });
  if (sealed) expect([...sealed.names("question"), ...sealed.names("task")]).toEqual([]);
}
