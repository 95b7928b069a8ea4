/** Appends until the checkpoint thread has moved something into the database file: `checkpoint-child.ts <folder>`. Compiled by its test. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { asked, open } from "./fixture.ts";

const [, , folder = ""] = process.argv;
const log = open(folder);
const size = () => statSync(join(folder, "events.db")).size;
const before = size();
for (let turn = 1; size() === before; turn++) {
  await log.append(asked(turn, "s_1", `c${turn}`));
  await Bun.sleep(10);
}
await log.close();
process.stdout.write("checkpointed\n");
