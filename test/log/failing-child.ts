/** A process of its own whose log fails: `failing-child.ts <folder>`. Prints "went on" if it outlives that. */
import { eventDefinitions } from "../../events/all.ts";
import { openLog } from "../../src/log/log.ts";
import { opened } from "./fixture.ts";

const [, , path = ""] = process.argv;
const log = openLog({
  path,
  projections: [],
  definitions: eventDefinitions,
  build: "b",
  version: "0",
  reserveBytes: 0,
  failpoint: (name) => {
    if (name === "before_commit") throw new Error("no space for that");
  },
});
await log.append(opened(1, "s_1"));
process.stdout.write("went on\n");
