/** How the program starts itself again, and how it reads durations. */
import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { durationOf } from "../../src/cli/duration.ts";
import { ourProgram } from "../../src/version.ts";

test("the program starts itself again by its own main script, whichever script was started", () => {
  expect(Bun.main).not.toEndWith("/src/main.ts");
  expect(ourProgram()).toEqual([process.execPath, resolve("src/main.ts")]);
});

test("durations have a unit", () => {
  expect(["500ms", "30s", "10m", "2h"].map(durationOf)).toEqual([500, 30_000, 600_000, 7_200_000]);
  for (const bad of ["10", "m", "0s", "-1s", "1 h"]) expect(() => durationOf(bad)).toThrow();
});
