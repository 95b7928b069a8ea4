/** All doors of the daemon over one kernel: HTTP for agents and operators, the local socket, and what they share. */
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Broken, Loaded } from "../config/load.ts";
import { createBackend, publishedTools } from "../doors/backend.ts";
import { createGuard, type Guard } from "../doors/guard.ts";
import { createHttpDoor } from "../doors/http.ts";
import { operatorRoutes } from "../doors/operator.ts";
import { createRest } from "../doors/rest.ts";
import { createSessions } from "../doors/sessions.ts";
import type { Log } from "../log/log.ts";
import { createEdge, type Edge } from "../mcp/upstream/edge.ts";
import type { Recovered } from "../runtime/recover.ts";
import type { Keys } from "../secrets/keys.ts";
import type { Vault } from "../secrets/vault.ts";
import { BUILD, VERSION } from "../version.ts";
import type { Configured } from "./configure.ts";
import type { Kernel } from "./kernel.ts";

export interface DoorsPorts {
  readonly kernel: Kernel;
  readonly log: Log;
  readonly vault: Vault;
  readonly keys: Keys;
  readonly dataFolder: string;
  readonly config: () => Loaded;
}
export interface Doors {
  readonly edge: Edge;
  /** Binds the address of the configuration; answers health only until `open`. Throws when the address is taken. */
  listen(): Bun.Server<undefined>;
  open(recovered: Recovered): void;
  configured(loaded: Loaded, configured: Configured): void;
  misconfigured(broken: Broken): void;
  /** Once a minute. */
  housekeep(): void;
  /** No new requests; the open ones end. */
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const STOP_GRACE_MS = 5000;
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

export function createDoors({ kernel, log, vault, keys, dataFolder, config }: DoorsPorts): Doors {
  const { runtime, ask, views } = kernel;
  const position = () => log.head.position;
  const sessions = createSessions({ runtime, log, now: Date.now, randomId: () => randomBytes(16).toString("hex") });
  const backend = createBackend({
    version: VERSION,
    ask,
    sessions,
    views,
    catalogue: runtime.catalogue,
    definitionOf: kernel.definitionOf,
    settling: () => kernel.connections.settling,
    onPublished: kernel.onPublished,
  });
  const edge = createEdge(backend);
  const isLoopback = LOOPBACK.has(config().config.listen.host);
  let guard = guardOf(config(), keys, isLoopback);
  let isOpen = false;
  const servers: Bun.Server<undefined>[] = [];

  const door = createHttpDoor({
    guard: () => guard,
    edge,
    rest: createRest({ ask, sessions, views, catalogue: runtime.catalogue, toolsOf: publishedTools(kernel.definitionOf), position }),
    operator: operatorRoutes({ runtime, views, vault, position }),
    debug: async () => undefined,
    version: () => Response.json({ name: "toolcrib", version: VERSION, build: BUILD }),
    metrics: () => new Response(""),
    ready: () => new Response(isOpen ? "ready\n" : "starting\n", { status: isOpen ? 200 : 503 }),
    isOpen: () => isOpen,
    isLoopback,
  });
  return {
    edge,
    listen() {
      const { host, port } = config().config.listen;
      const network = Bun.serve({
        hostname: host,
        port,
        idleTimeout: 0, // calls take their time
        maxRequestBodySize: MAX_BODY_BYTES,
        fetch: (request, server) => door.fetch(request, server),
      });
      const socket = join(dataFolder, "toolcrib.sock");
      rmSync(socket, { force: true }); // the folder is ours: a socket that lies here is of a process that is gone
      const local = Bun.serve({
        unix: socket,
        maxRequestBodySize: MAX_BODY_BYTES,
        fetch: (request, server) => door.fetchLocal(request, server),
      });
      chmodSync(socket, 0o600);
      servers.push(network, local);
      return network;
    },
    open() {
      isOpen = true;
    },
    configured(loaded) {
      guard = guardOf(loaded, keys, isLoopback);
    },
    misconfigured: () => undefined,
    housekeep: sessions.passivateIdle,
    async stop() {
      isOpen = false;
      await edge.close();
      const stopped = Promise.all(servers.map((server) => server.stop()));
      await Promise.race([stopped, Bun.sleep(STOP_GRACE_MS)]);
      await Promise.all(servers.map((server) => server.stop(true)));
    },
  };
}

function guardOf({ config }: Loaded, keys: Keys, isLoopback: boolean): Guard {
  const first = {
    name: "operator",
    tokenHash: `sha256:${createHash("sha256").update(keys.operatorToken).digest("hex")}`,
    roles: ["admin"] as const,
  };
  const { host, allowedHosts, allowedOrigins } = config.listen;
  return createGuard({
    agents: config.agents,
    operators: [...config.operators, first],
    allowedHosts: [host, ...allowedHosts],
    allowedOrigins,
    isLoopback,
  });
}
