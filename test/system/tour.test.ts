/** The five minutes of README.md, run as they stand there: each command gives what the page shows. Only the port and the folder are other ones. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { learned, tourSteps } from "./tour-steps.ts";

setDefaultTimeout(180_000); // every command is a process of its own, on a machine that may be busy

const EXAMPLES = resolve("examples");
const data = mkdtempSync(join(tmpdir(), "toolcrib-tour-"));
const isInstalled = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--silent"], {
  cwd: EXAMPLES,
  timeout: 60_000,
}).success;
let daemon: Bun.Subprocess | undefined;
afterAll(async () => {
  daemon?.kill("SIGTERM");
  await daemon?.exited;
  rmSync(data, { recursive: true, force: true });
});

/** Asking these again changes nothing: they are asked until they show what the page shows. */
const LOOKS = /^toolcrib (events|tasks|approvals|doubts|verify)\b/;
/** So often, before it is said what there was instead. */
const TRIES = 200;
const START = /\brun start$/;
const KILL = /^pkill -9 /;

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

async function start(address: string): Promise<void> {
  const child = Bun.spawn([process.execPath, "examples/start.ts", "--listen", address, "--data", data], {
    stdout: "pipe",
    stderr: "inherit",
  });
  daemon = child;
  let said = "";
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk);
    if (said.includes("Ctrl-C ends it.")) return;
  }
  throw new Error(`it ended: ${said}`);
}

test.skipIf(!isInstalled)(`the tour shows what happens${isInstalled ? "" : " (skipped: examples is not installed)"}`, async () => {
  const address = `127.0.0.1:${freePort()}`;
  const ids = new Map<string, string>();
  let output = "";
  const shell = (command: string) => {
    const main = `${process.execPath} ${resolve("src/main.ts")}`;
    const env = { ...process.env, TOOLCRIB_DATA: data };
    return Bun.spawn(["bash", "-c", `toolcrib() { ${main} "$@"; }; ${command}`], { env, stdout: "pipe", stderr: "pipe" });
  };
  /** Puts what it says behind the rest; resolves when it has ended. */
  const collected = async (child: ReturnType<typeof shell>): Promise<void> => {
    const add = async (stream: ReadableStream<Uint8Array>) => {
      for await (const chunk of stream) output += new TextDecoder().decode(chunk);
    };
    await Promise.all([add(child.stdout), add(child.stderr)]);
  };
  const lunches = async (): Promise<number> =>
    (await new Response(shell("toolcrib call desk__read_book").stdout).text()).split("lunch is ordered").length;
  const asHere = (command: string): string => {
    let here = command.replaceAll("127.0.0.1:7420", address);
    for (const [there, id] of ids) here = here.replaceAll(there, id);
    return here;
  };

  await start(address);
  for (const { command, shown } of tourSteps("README.md", "Five minutes")) {
    if (START.test(command)) await start(address);
    else if (KILL.test(command)) {
      daemon?.kill("SIGKILL");
      await daemon?.exited;
    } else if (command.endsWith("&")) {
      const isKilled = command.includes("order_lunch");
      const before = isKilled ? await lunches() : 0;
      void collected(shell(asHere(command.slice(0, -1))));
      // It is killed while this call is under way: when the order stands in the desk's book.
      while (isKilled && (await lunches()) === before);
    } else await collected(shell(asHere(command)));
    for (const line of shown) {
      let found = learned(line, output);
      for (let i = 0; !found && i < TRIES; i++) {
        await (LOOKS.test(command) ? collected(shell(asHere(command))) : Bun.sleep(50)); // its output may come later, as that of a call that waited
        found = learned(line, output);
      }
      expect({ command, line, output: found ? "" : output }).toEqual({ command, line, output: "" });
      for (const [there, id] of found ?? []) ids.set(there, id);
    }
  }
});
