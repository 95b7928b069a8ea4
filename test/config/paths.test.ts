/** Where the data folder is, and how keys are shown and misspellings recognised. */
import { expect, test } from "bun:test";
import { dataFolder } from "../../src/config/paths.ts";
import { showPath } from "../../src/config/problems.ts";
import { didYouMean, editDistance } from "../../src/config/suggest.ts";

const every = { TOOLCRIB_DATA: "/variable", STATE_DIRECTORY: "/systemd:/second", XDG_STATE_HOME: "/xdg" };
const { TOOLCRIB_DATA: _, ...noVariable } = every;
const { STATE_DIRECTORY: __, ...onlyXdg } = noVariable;

test.each([
  [{ flag: "data", env: every }, "/folder/data"],
  [{ env: every }, "/variable"],
  [{ env: noVariable }, "/systemd"],
  [{ env: onlyXdg }, "/xdg/toolcrib"],
  [{ env: onlyXdg, root: true }, "/xdg/toolcrib"],
  [{ env: { XDG_STATE_HOME: "relative" } }, "/home/ann/.local/state/toolcrib"],
  [{ env: {} }, "/home/ann/.local/state/toolcrib"],
  [{ env: {}, root: true }, "/var/lib/toolcrib"],
])("the data folder for %j is %s", (options, folder) => {
  expect(dataFolder({ cwd: "/folder", home: "/home/ann", root: false, ...options })).toBe(folder);
});

test("paths are shown as one would write them", () => {
  expect(showPath(["mcpServers", "a.b", "args", 0, "x-y"])).toBe('mcpServers["a.b"].args[0].x-y');
  expect(showPath([])).toBe("");
});

test.each([
  ["", "abc", 3],
  ["abc", "abc", 0],
  ["kitten", "sitting", 3],
  ["lsiten", "listen", 1],
  ["bridge", "brige", 1],
])("from %j to %j it is %i edits", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test("only a near word is suggested", () => {
  expect(didYouMean("NAMING", ["naming", "limits"])).toBe('did you mean "naming"?');
  expect(didYouMean("zebra", ["naming", "limits"])).toBeUndefined();
});
