/** `bun run start`: installs the example's servers, serves `toolcrib.jsonc` with its data in `./.toolcrib`, and says what to try. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../src/config/load.ts";

const REPOSITORY = join(import.meta.dir, "..");
const PROGRAM = join(REPOSITORY, "src", "main.ts");
const CONFIG = join(import.meta.dir, "toolcrib.jsonc");
const DATA = ".toolcrib";

process.chdir(REPOSITORY);
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
process.argv = [process.execPath, PROGRAM, "serve", "--config", CONFIG, "--data", DATA];
await import("../src/main.ts");
if (!process.exitCode) sayWhatToTry();

function sayWhatToTry(): void {
  const loaded = loadConfig({ flag: CONFIG });
  if (!loaded.ok) return;
  const { host, port } = loaded.config.listen;
  const url = `http://${host}:${port}`;
  const client = JSON.stringify({ mcpServers: { toolcrib: { type: "http", url: `${url}/mcp` } } });
  console.log(`
Three things to try, each in another terminal in this folder:

1. Call a tool, as an agent would:
   curl -s ${url}/v1/tools/everything__echo/call -d '{"arguments": {"message": "hello"}}'

2. Let an MCP client use all tools. Its address is ${url}/mcp; in a client's configuration:
   ${client}

3. Read what the log holds of it:
   npx -y bun@1.4 src/main.ts events --data ${DATA}

Ctrl-C ends it.`);
}
