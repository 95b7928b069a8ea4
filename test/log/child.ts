/** A process of its own that owns a log, for tests that kill it: `child.ts <folder> hold | write`. Says on stdout how many events are durable. */
import { answered, asked, open, opened } from "./fixture.ts";

const [, , folder = "", mode = ""] = process.argv;
const log = open(folder, { onFailure: () => process.exit(70) });
let turn = log.head.turn;

await log.append(opened(++turn, "s_1"));
process.stdout.write(`${log.head.position}\n`);
if (mode === "hold") setInterval(() => {}, 1000);
while (mode === "write") {
  const group = Array.from({ length: 8 }, async () => {
    const call = `c${++turn}`;
    const capability = turn % 3 === 0 ? "mutating" : "read";
    await log.append(asked(turn, "s_1", call, { capability }));
    await log.append(answered(++turn, "s_1", call, { text: "x".repeat(turn % 200) }, capability));
    process.stdout.write(`${log.head.position}\n`);
  });
  await Promise.all(group);
}
