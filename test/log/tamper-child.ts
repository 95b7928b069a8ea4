/** Leaves a folder whose newest events stand in the WAL alone: `tamper-child.ts <folder>`. Says "ready" once the anchor names the head, then waits to be killed. */
import { eventDefinitions } from "../../events/all.ts";
import { ToolsOffered } from "../../events/tools.ts";
import { readAnchor } from "../../src/log/anchor.ts";
import { openReader } from "../../src/log/reader.ts";
import { answered, asked, batch, on, open, opened } from "./fixture.ts";

const [, , folder = ""] = process.argv;
const definition = JSON.stringify({ name: "send", description: "sends a mail" });
const hash = Bun.SHA256.hash(definition, "hex");

async function fill(log: ReturnType<typeof open>, calls: number): Promise<void> {
  const session = `s_${log.head.turn}`;
  await log.append(opened(log.head.turn + 1, session));
  for (let n = 0; n < calls; n++) {
    const turn = log.head.turn + 1;
    const call = `c${turn}`;
    const capability = n % 2 === 0 ? "read" : "mutating";
    await log.append(
      asked(turn, session, call, { capability, key: call, args: { n, text: n % 10 === 0 ? "b".repeat(9000) : "a".repeat(n * 7) } }),
    );
    log.saveSnapshot({ stream: `session/${session}`, version: n + 2, shape: 1, state: { n } });
    await log.append(answered(turn + 1, session, call, { n }, capability));
  }
}

const first = open(folder);
first.define(hash, definition);
await first.append(
  batch(1, "registry", [
    on("registry", ToolsOffered({ server: "mail", tools: [{ name: "mail__send", tool: "send", hash, capability: "mutating" }] })),
  ]),
);
await fill(first, 60);
await first.append(asked(first.head.turn + 1, "s_1", "large", { args: { text: "c".repeat(1_100_000) } }));
await first.close();

const log = open(folder);
const reader = openReader(folder, eventDefinitions);
reader.query("begin");
reader.query("select count(*) from events"); // its view of the log keeps later pages from leaving the WAL
await fill(log, 20);
while (readAnchor(folder)?.position !== log.head.position) await Bun.sleep(5);
process.stdout.write("ready\n");
setInterval(() => reader, 1000); // holds it too: once collected as garbage it would hold no view, and a slow fill begin the WAL anew
