/** All doors of the daemon over one kernel: HTTP for agents and operators, the local socket, and what they share. */
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { settled } from "../calls/open-calls.ts";
import { doorLimitsOf } from "../config/judged.ts";
import type { Loaded, LoadResult } from "../config/load.ts";
import { HTTP_SOCKET, isLoopback } from "../config/paths.ts";
import { createHttpDoor } from "../doors/http.ts";
import { operatorRoutes } from "../doors/operator.ts";
import { createRequestRate } from "../doors/request-rate.ts";
import type { Log } from "../log/log.ts";
import { createEdge, type Edge } from "../mcp/upstream/edge.ts";
import type { Recovered } from "../runtime/recover.ts";
import type { Keys } from "../secrets/keys.ts";
import type { Vault } from "../secrets/vault.ts";
import { createAgentDoors } from "./agent-doors.ts";
import { bindAddress } from "./bind.ts";
import { guardOf } from "./guard.ts";
import type { Pulse } from "./idle.ts";
import type { Kernel } from "./kernel.ts";
import { observe } from "./observe.ts";

export interface DoorsPorts {
  readonly kernel: Kernel;
  readonly log: Log;
  readonly vault: Vault;
  readonly keys: Keys;
  readonly dataFolder: string;
  readonly config: () => Loaded;
  /** Looks for changes of the secret store. */
  readonly secretsChanged: (by: string) => Promise<void>;
  /** Connects a server anew, with what is stored of logins now. False: there is no such server. */
  readonly reconnect: (server: string) => boolean;
  /** How to start our own program with the hidden verb that runs one query. */
  readonly sqlCommand: readonly string[];
  /** When the configured port is taken, listen on any other. */
  readonly anyPort: boolean;
}
export interface Doors {
  readonly edge: Edge;
  /** Binds the address of the configuration; answers health only until `open`. Throws when the address is taken. */
  listen(): Bun.Server<undefined>;
  open(recovered: Recovered): void;
  /** A configuration came into force, or was found to be broken. */
  configured(result: LoadResult): void;
  /** Requests that are open now, and since the start. */
  pulse(): Pulse;
  /** Once a minute. */
  housekeep(): void;
  /** No new requests; the open ones end. */
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const STOP_GRACE_MS = 5000;

export function createDoors(ports: DoorsPorts): Doors {
  const { kernel, log, vault, keys, dataFolder, config, secretsChanged, reconnect, sqlCommand, anyPort } = ports;
  const { runtime, views } = kernel;
  const position = () => log.head.position;
  const limitsOf = (profile: string) => doorLimitsOf(config().config, profile);
  const rate = createRequestRate(Date.now);
  const { sessions, rest, backend } = createAgentDoors({ kernel, log, vault, limitsOf });
  const edge = createEdge(backend);
  const onLoopback = isLoopback(config().config.listen.host);
  let guard = guardOf(config(), keys.operatorToken);
  let isOpen = false;
  let skipped: readonly string[] = [];
  const stopping = new AbortController();
  const servers: Bun.Server<undefined>[] = [];
  let served = 0;
  const observation = observe({
    kernel,
    log,
    vault,
    dataFolder,
    sqlCommand,
    stopping: stopping.signal,
    sessionsInMemory: () => sessions.inMemory(),
    isOpen: () => isOpen,
    skipped: () => skipped,
  });

  const tokenHashOf = (agent: string) => config().config.agents.find(({ name }) => name === agent)?.tokenHash;
  const door = createHttpDoor({
    guard: () => guard,
    edge,
    rest,
    operator: operatorRoutes({
      ...{ runtime, views, vault, position, now: Date.now, secretsChanged, reconnect, tokenHashOf },
      answerQuestion: kernel.questions.answer,
    }),
    debug: observation.debug,
    version: observation.health.version,
    metrics: observation.metrics.respond,
    ready: observation.health.ready,
    isOpen: () => isOpen,
    isLoopback: onLoopback,
    waitOf: (who) =>
      "agent" in who
        ? rate(`agent ${who.agent}`, limitsOf(who.profile).requestsPerMinute)
        : who.tokenHash === "" // of the local socket: there is no token
          ? undefined
          : rate(`operator ${who.name}`, limitsOf("").requestsPerMinute),
  });
  return {
    edge,
    listen() {
      const { host, port: configured } = config().config.listen;
      const bind = (port: number) =>
        Bun.serve({
          hostname: host,
          port,
          idleTimeout: 0, // calls take their time
          maxRequestBodySize: MAX_BODY_BYTES,
          fetch: (request, server) => {
            served++;
            return door.fetch(request, server);
          },
        });
      const network = bindAddress(bind, host, configured, anyPort);
      const socket = join(dataFolder, HTTP_SOCKET);
      rmSync(socket, { force: true }); // the folder is ours: a socket that lies here is of a process that is gone
      const local = Bun.serve({
        unix: socket,
        maxRequestBodySize: MAX_BODY_BYTES,
        fetch: (request, server) => {
          served++;
          return door.fetchLocal(request, server);
        },
      });
      chmodSync(socket, 0o600);
      servers.push(network, local);
      return network;
    },
    open(recovered) {
      skipped = recovered.skipped;
      isOpen = true;
    },
    configured(result) {
      observation.configured(result);
      if (result.ok) guard = guardOf(result, keys.operatorToken);
    },
    pulse: () => ({ open: servers.reduce((open, { pendingRequests }) => open + pendingRequests, 0), served }),
    housekeep: sessions.passivateIdle,
    async stop() {
      isOpen = false;
      stopping.abort();
      const stopped = Promise.all(servers.map((server) => server.stop()));
      // The edge ends its streams at once, so the calls that run get their answers first.
      await settled(kernel.openCalls, STOP_GRACE_MS);
      await edge.close();
      await Promise.race([stopped, Bun.sleep(STOP_GRACE_MS)]);
      await Promise.all(servers.map((server) => server.stop(true)));
    },
  };
}
