/**
 * `bun run start`: installs the example's servers, serves `toolcrib.jsonc` with its data in `./.toolcrib`, and says what to try.
 * `--listen HOST:PORT` and `--data DIR` take another address and another data folder.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadConfig } from "../src/config/load.ts";

const REPOSITORY = join(import.meta.dir, "..");
const PROGRAM = join(REPOSITORY, "src", "main.ts");
const CONFIG = join(import.meta.dir, "toolcrib.jsonc");
const FIRST_TOOL = "everything__echo";
const { listen, data = ".toolcrib" } = parseArgs({ options: { listen: { type: "string" }, data: { type: "string" } } }).values;

process.chdir(REPOSITORY);
if (!existsSync(join(import.meta.dir, "node_modules"))) console.error("Installing the example's servers …");
const installed = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--silent"], {
  cwd: import.meta.dir,
  stdio: ["ignore", "inherit", "inherit"],
});
if (!installed.success)
  console.error("The example's servers could not be installed (see above); toolcrib starts without them and tries them again.");

// The one folder that the filesystem server of the example may see.
const files = join(import.meta.dir, ".toolcrib", "files");
mkdirSync(files, { recursive: true });
const greeting = join(files, "hello.txt");
if (!existsSync(greeting)) writeFileSync(greeting, "Hello from the example's folder.\n");

// The program itself, in this process: Ctrl-C and the end of its terminal reach it like any other program.
const flags = ["--config", CONFIG, "--data", data, ...(listen === undefined ? [] : ["--listen", listen])];
process.argv = [process.execPath, PROGRAM, "serve", ...flags];
await import("../src/main.ts");
const loaded = loadConfig({ flag: CONFIG, ...(listen !== undefined && { listen }) });
if (!process.exitCode && loaded.ok && loaded.config.listen.port !== 0) {
  const url = `http://${loaded.config.listen.host}:${loaded.config.listen.port}`;
  await toolsAreThere(url);
  sayWhatToTry(url);
}

/** The servers connect after the gateway listens; what is printed should work at once. After ten seconds without them it is printed all the same. */
async function toolsAreThere(url: string): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const { tools } = (await (await fetch(`${url}/v1/tools`)).json()) as { tools: readonly { name: string }[] };
    if (tools.some(({ name }) => name === FIRST_TOOL)) return;
    await Bun.sleep(100);
  }
}

function sayWhatToTry(url: string): void {
  const client = JSON.stringify({ mcpServers: { toolcrib: { type: "http", url: `${url}/mcp` } } });
  console.log(`
Three things to try, each in another terminal in this folder; README.md goes on from there:

1. Call a tool, as an agent would:
   curl -s ${url}/v1/tools/${FIRST_TOOL}/call -d '{"arguments": {"message": "hello"}}'

2. Let an MCP client use all tools. Its address is ${url}/mcp; in a client's configuration:
   ${client}

3. Read what the log holds of it:
   npx -y bun@1.4 src/main.ts events --data ${data}

Ctrl-C ends it.`);
}
