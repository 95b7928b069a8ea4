/** A process of its own whose log fails: `failing-child.ts <folder> [code]`, where the error has that code. Prints "went on" if it outlives that. */
import { eventDefinitions } from "../../events/all.ts";
import { openLog } from "../../src/log/log.ts";
import { opened } from "./fixture.ts";

const [, , path = "", code] = process.argv;
const log = openLog({
  path,
  projections: [],
  definitions: eventDefinitions,
  build: "b",
  version: "0",
  reserveBytes: 0,
  failpoint: (name) => {
    if (name === "before_commit") throw Object.assign(new Error("no space for that"), { code });
  },
});
await log.append(opened(1, "s_1"));
process.stdout.write("went on\n");
