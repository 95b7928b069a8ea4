/** The systems the bench compares: how each is started in front of the same echo server and how it is reached. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Target } from "./peers/client.ts";

/** Where one start of a system lives. */
export interface Place {
  readonly port: number;
  /** A fresh folder for its configuration and data; on the disk of the repository, so that a sync is a real one. */
  readonly folder: string;
}

export interface System {
  readonly key: string;
  readonly role: "direct" | "peer" | "floor" | "ours";
  /** Polled for a 200 to get the ready time; without it, ready is the first `tools/list` that holds the tool. */
  readonly readyPath?: string;
  /** Writes what the program needs into the folder and says how to start and reach it. */
  prepare(place: Place): { readonly argv: readonly string[]; readonly env?: Readonly<Record<string, string>>; readonly target: Target };
}

const HERE = import.meta.dir;
export const REPOSITORY = join(HERE, "..");
export const BINARY = join(REPOSITORY, "dist", "toolcrib");
const PEERS = join(HERE, "peers");
const ECHO = join(PEERS, "echo-server.mjs");
const STDIO = { command: "node", args: [ECHO, "--stdio"] };

const http = (port: number): Target => ({ type: "http", url: `http://127.0.0.1:${port}/mcp` });

function toolcrib(key: string, tools: Readonly<Record<string, unknown>> | undefined): System {
  return {
    key,
    role: "ours",
    readyPath: "/readyz",
    prepare({ port, folder }) {
      const config = join(folder, "toolcrib.jsonc");
      writeFileSync(config, JSON.stringify({ mcpServers: { echo: { ...STDIO, ...(tools && { tools }) } } }, null, 2));
      const argv = [BINARY, "serve", "--config", config, "--data", join(folder, "data"), "--listen", `127.0.0.1:${port}`];
      return { argv, target: http(port) };
    },
  };
}

export const SYSTEMS: readonly System[] = [
  {
    key: "direct http",
    role: "direct",
    prepare: ({ port }) => ({ argv: ["node", ECHO, "--http", String(port)], target: http(port) }),
  },
  {
    key: "mcp-proxy",
    role: "peer",
    prepare: ({ port }) => ({
      argv: ["node", join(PEERS, "node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs"), "--host", "127.0.0.1", "--port", String(port)].concat([
        "--server",
        "stream",
        "--",
        STDIO.command,
        ...STDIO.args,
      ]),
      target: http(port),
    }),
  },
  {
    key: "mcp-hub",
    role: "peer",
    prepare({ port, folder }) {
      const config = join(folder, "mcp-hub.json");
      writeFileSync(config, JSON.stringify({ mcpServers: { echo: STDIO } }));
      return {
        argv: ["node", join(PEERS, "node_modules/mcp-hub/dist/cli.js"), "--port", String(port), "--config", config],
        env: { XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "share") },
        target: { type: "sse", url: `http://127.0.0.1:${port}/mcp` },
      };
    },
  },
  {
    key: "null gateway",
    role: "floor",
    readyPath: "/readyz",
    prepare: ({ port }) => ({
      argv: ["bun", join(HERE, "null-gateway.ts"), String(port), STDIO.command, ...STDIO.args],
      target: http(port),
    }),
  },
  toolcrib("toolcrib read", { echo: { capability: "read" } }),
  toolcrib("toolcrib mutating", undefined),
];
