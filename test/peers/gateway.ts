/** The whole product in this process, in front of servers that others wrote, and what the tests ask of it through its HTTP doors. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { loadConfig } from "../../src/config/load.ts";
import { startDaemon } from "../../src/system/daemon.ts";
import { temporaryFolder, until } from "./peers.ts";

export type Json = Readonly<Record<string, unknown>>;

interface ServerFacts extends Json {
  readonly name: string;
  readonly state: string;
  readonly pid?: number;
  readonly stderr: readonly string[];
}
interface LoggedEvent extends Json {
  readonly type: string;
  readonly data: Json;
}

export interface Gateway {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Holds the configuration (`toolcrib.jsonc`) and the data folder (`data`). */
  readonly root: string;
  /** A path below /debug/api, as the operator reads it. */
  debug(path: string): Promise<Json>;
  server(name: string): Promise<ServerFacts>;
  /** Types of the events of the newest call of this tool, in order. */
  eventsOf(tool: string): Promise<readonly string[]>;
  /** A v2 client with a session of its own; closed by `stop`. */
  client(mode?: VersionNegotiationMode): Promise<Client>;
  /** Throws when a turn failed, which must never happen. */
  stop(): Promise<void>;
}

/** A variable of the gateway's own environment. */
export const PRIVATE = "TOOLCRIB_PEERS_PRIVATE";

/** Starts it with these `mcpServers` and waits until every one of them is connected. */
export async function startGateway(servers: Json, bridge: Json = {}): Promise<Gateway> {
  const folder = temporaryFolder();
  const root = folder.path;
  const config = join(root, "toolcrib.jsonc");
  const data = join(root, "data");
  writeFileSync(
    config,
    JSON.stringify({
      listen: "127.0.0.1:0",
      bridge: { connectRetryBaseDelayMs: 50, sweepSeconds: 1, wrapperMode: "eager", ...bridge },
      mcpServers: servers,
    }),
  );
  const loadOptions = { cwd: root, flag: config };
  const loaded = loadConfig(loadOptions);
  if (!loaded.ok) throw new Error(loaded.errors.map(({ message }) => message).join("\n"));
  const said: string[] = [];
  const daemon = await startDaemon({
    dataFolder: data,
    loaded,
    loadOptions,
    environment: { ...process.env, [PRIVATE]: "not for children" },
    commands: [],
    anyPort: false,
    say: (line) => said.push(line),
  });
  const token = readFileSync(join(data, "keys", "operator.token"), "utf8").trim();
  const clients: Client[] = [];
  const debug = async (path: string): Promise<Json> => {
    const response = await fetch(`${daemon.url}/debug/api/${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Json;
  };
  const server = async (name: string) => (await debug(`servers/${name}`)) as ServerFacts;
  const gateway: Gateway = {
    url: daemon.url,
    root,
    debug,
    server,
    async eventsOf(tool) {
      const { calls } = (await debug(`calls?name=${tool}&limit=1000`)) as { readonly calls?: readonly { readonly call: string }[] };
      const { events } = (await debug(`events?call=${calls?.at(-1)?.call ?? "none"}`)) as { readonly events?: readonly LoggedEvent[] };
      return (events ?? []).map(({ type }) => type);
    },
    async client(mode = "auto") {
      const client = new Client({ name: "peers", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.url}/mcp`)));
      clients.push(client);
      return client;
    },
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      await daemon.stop("the test is over");
      folder[Symbol.dispose]();
      const failed = said.filter((line) => line.includes("failed"));
      if (failed.length > 0) throw new Error(failed.join("\n"));
    },
  };
  for (const name of Object.keys(servers)) {
    if (said.some((line) => line.includes("cannot be used"))) throw new Error(said.join("\n"));
    await until(async () => (await server(name)).state === "connected");
  }
  return gateway;
}
