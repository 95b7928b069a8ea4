/** A process of its own that stores a text under a session and erases it again: `erase-child.ts <folder> <text>`. Says "erased", then waits to be killed. */
import { answered, asked, open, opened } from "./fixture.ts";

const [, , folder = "", text = ""] = process.argv;
const log = open(folder);
await log.append(opened(1, "s_1"));
for (let turn = 2; turn < 60; turn += 2) {
  const value = { text: text.repeat(turn * turn) };
  await log.append(asked(turn, "s_1", `c${turn}`, { args: value }));
  await log.append(answered(turn + 1, "s_1", `c${turn}`, value));
}
await log.erase({ session: "s_1", by: "operator", reason: "test" });
process.stdout.write("erased\n");
setInterval(() => {}, 1000);
