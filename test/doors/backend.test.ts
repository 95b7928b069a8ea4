/** What stands behind the MCP edge. */
import { expect, test } from "bun:test";
import { paced } from "../../src/doors/backend.ts";

test("progress passes in a burst of ten, then ten a second", () => {
  let now = 0;
  const passed: number[] = [];
  const send = paced(
    ({ progress }) => passed.push(progress),
    () => now,
  );
  for (let n = 0; n < 50; n++) send({ progress: n });
  expect(passed).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  now = 250;
  for (let n = 50; n < 60; n++) send({ progress: n });
  expect(passed.slice(10)).toEqual([50, 51]);
  now = 1_000_000;
  for (let n = 60; n < 99; n++) send({ progress: n });
  expect(passed.slice(12)).toHaveLength(10);
});
