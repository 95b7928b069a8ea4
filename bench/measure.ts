/** Loads one running system from a process of its own (so every system meets an equally fresh client) and prints what it saw as one line of JSON. */
import type { LoadClient, Target } from "./peers/client.ts";
import { makeClient } from "./peers/client.ts";
import { usage } from "./processes.ts";

export interface Order {
  readonly target: Target;
  /** The gateway, for its CPU and memory. */
  readonly pid: number;
  /** Seconds of load for each number in flight. */
  readonly secs: number;
  readonly inFlight: readonly number[];
  /** Calls made one after the other for the latency figures. */
  readonly sequential: number;
}

export interface Load {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMsPerCall: number;
}

export interface Seen {
  readonly rssIdleMiB: number;
  readonly rssPeakMiB: number;
  readonly sequential: { readonly p50Ms: number; readonly p99Ms: number };
  /** Keyed by the number in flight. */
  readonly loads: Readonly<Record<string, Load>>;
  /** Calls that failed or answered with another text; the first of them in words. */
  readonly wrong: number;
  readonly firstWrong?: string;
}

/** The full name of the echo tool, or undefined while the system does not list it. */
export async function findEcho(client: LoadClient): Promise<string | undefined> {
  const { tools } = await client.listTools();
  return tools.find(({ name }) => /(^|[^a-z])echo$/.test(name))?.name;
}

/** Calls echo with a text of its own and throws unless exactly that text came back. */
export async function callEcho(client: LoadClient, tool: string, text: string): Promise<void> {
  const result = await client.callTool(tool, { text });
  if (result.isError || !result.content?.some((block) => block.text === text)) {
    throw new Error(`echo of "${text}" came back as ${JSON.stringify(result).slice(0, 300)}`);
  }
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

async function measure(order: Order): Promise<Seen> {
  const client = makeClient(order.target);
  await client.initialize();
  const tool = await findEcho(client);
  if (tool === undefined) throw new Error("the system lists no echo tool");
  await callEcho(client, tool, "hé ✓");
  await Bun.sleep(300); // let the start's work end before memory counts as idle
  const rssIdleMiB = usage(order.pid).rssMiB;
  let rssPeakMiB = rssIdleMiB;
  const sampler = setInterval(() => (rssPeakMiB = Math.max(rssPeakMiB, usage(order.pid).rssMiB)), 500);

  let wrong = 0;
  let firstWrong: string | undefined;
  const latencies: number[] = [];
  const timedCall = async (text: string): Promise<void> => {
    const start = performance.now();
    try {
      await callEcho(client, tool, text);
      latencies.push(performance.now() - start);
    } catch (error) {
      wrong += 1;
      firstWrong ??= String(error);
      if (wrong > 200) throw new Error(`more than 200 wrong calls; the first: ${firstWrong}`);
    }
  };
  const takeLatencies = (): readonly number[] => latencies.splice(0).sort((a, b) => a - b);

  for (let i = 0; i < 500; i++) await timedCall(`warm ${i}`);
  takeLatencies();

  const loads: Record<string, Load> = {};
  for (const inFlight of order.inFlight) {
    const cpuBefore = usage(order.pid).cpuMs;
    const start = performance.now();
    const until = start + order.secs * 1000;
    const worker = async (name: number): Promise<void> => {
      for (let i = 0; performance.now() < until; i++) await timedCall(`w${name} ${i}`);
    };
    await Promise.all(Array.from({ length: inFlight }, (_, name) => worker(name)));
    const seconds = (performance.now() - start) / 1000;
    const cpu = usage(order.pid).cpuMs - cpuBefore;
    const sorted = takeLatencies();
    loads[inFlight] = {
      callsPerSecond: sorted.length / seconds,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      cpuMsPerCall: cpu / Math.max(1, sorted.length),
    };
  }
  // Last, when every system is warm: what a call takes day after day.
  for (let i = 0; i < order.sequential; i++) await timedCall(`one ${i}`);
  const alone = takeLatencies();
  clearInterval(sampler);
  rssPeakMiB = Math.max(rssPeakMiB, usage(order.pid).rssMiB);
  client.close();
  const sequential = { p50Ms: quantile(alone, 0.5), p99Ms: quantile(alone, 0.99) };
  return { rssIdleMiB, rssPeakMiB, sequential, loads, wrong, ...(firstWrong !== undefined && { firstWrong }) };
}

if (import.meta.main) {
  console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? "") as Order)));
  process.exit(0);
}
