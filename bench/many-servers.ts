/** `bun run bench:servers`: lists and calls with 50 servers and 2,000 tools; with a dead and a hanging server beside them; and right after a start with every server dead. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { makeClient } from "./peers/client.ts";
import { freePort, start } from "./processes.ts";
import { BINARY, REPOSITORY } from "./systems.ts";

const SERVERS = 50;
const TOOLS_EACH = 40;
const ROUNDS = 400;

const quantile = (samples: readonly number[], part: number): number =>
  [...samples].sort((a, b) => a - b)[Math.min(samples.length - 1, Math.floor(samples.length * part))] ?? 0;
const show = (samples: readonly number[]): string =>
  `p50 ${quantile(samples, 0.5).toFixed(2)} ms, p99 ${quantile(samples, 0.99).toFixed(2)} ms`;

async function timed(rounds: number, run: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const began = performance.now();
    await run();
    samples.push(performance.now() - began);
  }
  return samples;
}

async function until<T>(what: string, attempt: () => Promise<T | undefined>, ms = 60_000): Promise<T> {
  for (const end = performance.now() + ms; performance.now() < end; await Bun.sleep(5)) {
    const value = await attempt().catch(() => undefined);
    if (value !== undefined) return value;
  }
  throw new Error(`${what} did not happen within ${ms} ms`);
}

const folder = (() => {
  const results = join(REPOSITORY, "bench", "results");
  mkdirSync(results, { recursive: true });
  return mkdtempSync(join(results, "servers-"));
})();
const downstream = Bun.spawn(["bun", join(import.meta.dir, "many-downstream.ts"), String(SERVERS), String(TOOLS_EACH)], { stdout: "pipe" });
const { port: downstreamPort } = JSON.parse(new TextDecoder().decode((await downstream.stdout.getReader().read()).value)) as {
  port: number;
};

const config = join(folder, "toolcrib.jsonc");
const servers = (more: Readonly<Record<string, object>> = {}) => ({
  ...Object.fromEntries(Array.from({ length: SERVERS }, (_, n) => [`s${n}`, { url: `http://127.0.0.1:${downstreamPort}/${n}` }])),
  ...more,
});
const configure = (wrapperMode: string, mcpServers: object) =>
  writeFileSync(config, JSON.stringify({ bridge: { wrapperMode }, mcpServers }));

async function daemon() {
  const port = await freePort();
  const argv = [BINARY, "serve", "--config", config, "--data", join(folder, "data"), "--listen", `127.0.0.1:${port}`];
  const running = start(argv, { cwd: folder, logFile: join(folder, "output.log") });
  const url = `http://127.0.0.1:${port}`;
  await until("readiness", async () => ((await fetch(`${url}/readyz`)).status === 200 ? true : undefined));
  const names = async () =>
    ((await (await fetch(`${url}/v1/tools`)).json()) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  const connected = (count: number) =>
    until(`${count} connected servers`, async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const found = /toolcrib_connections\{state="connected"\} (\d+)/.exec(text)?.[1];
      return Number(found) >= count ? true : undefined;
    });
  return { ...running, url, names, connected };
}

try {
  for (const mode of ["pinned", "eager"]) {
    configure(mode, servers());
    const running = await daemon();
    await running.connected(SERVERS);
    const client = makeClient({ type: "http", url: `${running.url}/mcp` });
    await client.initialize();
    const { tools } = await client.listTools();
    console.log(
      `${SERVERS} servers, ${SERVERS * TOOLS_EACH} tools, ${mode}: tools/list of ${tools.length} tools ${show(await timed(ROUNDS, () => client.listTools()))}`,
    );
    if (mode === "pinned") {
      const find = () => client.callTool("mcp_find_tools", { query: "change a record and tell its new state" });
      await find();
      console.log(`  mcp_find_tools, a recorded call ${show(await timed(100, find))}`);
      const call = () => client.callTool("s7__echo", { text: "x" });
      await call();
      console.log(`  a call ${show(await timed(ROUNDS, call))}`);
      configure(mode, servers({ dead: { url: "http://127.0.0.1:9/mcp" }, hanging: { url: `http://127.0.0.1:${downstreamPort}/hang` } }));
      await until("a dead and a hanging server", async () =>
        (await (await fetch(`${running.url}/metrics`)).text()).includes('state="connecting"') ? true : undefined,
      );
      console.log(`  a call beside a dead and a hanging server ${show(await timed(ROUNDS, call))}`);
      console.log(`  tools/list beside them ${show(await timed(ROUNDS, () => client.listTools()))}`);
    }
    client.close();
    await running.stop();
  }
  configure("eager", servers());
  downstream.kill();
  await downstream.exited;
  const began = performance.now();
  const dead = await daemon();
  const ready = performance.now() - began;
  const asked = performance.now();
  const names = await dead.names();
  console.log(
    `every server dead: ready after ${ready.toFixed(0)} ms, the first list (${names.length} tools) ${(performance.now() - asked).toFixed(1)} ms later`,
  );
  await dead.stop();
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}`);
} finally {
  downstream.kill();
  rmSync(folder, { recursive: true, force: true });
}
