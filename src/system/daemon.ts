/** The daemon: takes the data folder, recovers, opens the doors, follows the configuration, and ends in good order. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { SYSTEM } from "../../actors/address.ts";
import { eventDefinitions } from "../../events/all.ts";
import { createOpenCalls } from "../calls/open-calls.ts";
import type { Loaded, LoadOptions } from "../config/load.ts";
import { HTTP_SOCKET, MCP_SOCKET } from "../config/paths.ts";
import { watchConfig } from "../config/watch.ts";
import { folderFacts } from "../doors/health.ts";
import { openLog } from "../log/log.ts";
import { projections } from "../log/projections/all.ts";
import type { TimerRow } from "../log/projections/timers.ts";
import { DATABASE } from "../log/reader.ts";
import { sweepOrphans } from "../mcp/downstream/orphans.ts";
import { resolveName } from "../net/guard.ts";
import { recover } from "../runtime/recover.ts";
import { systemClock } from "../runtime/timers.ts";
import { openKeys } from "../secrets/keys.ts";
import { patterns } from "../secrets/patterns.ts";
import { openSealedStore, SEALED_PURPOSE } from "../secrets/sealed.ts";
import { createVault } from "../secrets/vault.ts";
import { BUILD, ourProgram, VERSION } from "../version.ts";
import { createApplying } from "./applying.ts";
import { connectWith, urlsOf } from "./connect.ts";
import { createDoors } from "./doors.ts";
import { createFailpoint, endAtEvents } from "./failpoint.ts";
import { takeFolder } from "./folder.ts";
import type { Pulse } from "./idle.ts";
import { createKernel, type Kernel } from "./kernel.ts";
import { createLanguage } from "./language.ts";
import { createLogins } from "./logins.ts";
import { createOutside } from "./outside.ts";
import { createSecrets } from "./secrets.ts";
import { SPACE_CHECK_MS, stopWhenFull, watchSpace } from "./space.ts";
import { endStreams, listenStreams } from "./streams.ts";
import { waitForSpace } from "./waiting.ts";

export interface DaemonOptions {
  readonly dataFolder: string;
  readonly loaded: Loaded;
  /** For loading it again when the files change. */
  readonly loadOptions: LoadOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute paths of our own program. */
  readonly commands: readonly string[];
  /** When the configured port is taken, listen on any other. */
  readonly anyPort: boolean;
  /** One line for whoever watches stderr. */
  readonly say: (line: string) => void;
}
export interface Daemon {
  /** `http://127.0.0.1:7420` */
  readonly url: string;
  /** Who is using it: open streams, requests and calls. */
  pulse(): Pulse;
  /** Ends the doors, lets open calls settle for a moment, saves snapshots and gives the folder back. */
  stop(reason: string): Promise<void>;
}

const HOUSEKEEPING_MS = 60_000;
const randomServerId = () => randomBytes(6).toString("hex");

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { dataFolder, environment } = options;
  let loaded = options.loaded;
  const failpoint = createFailpoint(environment);
  const sqlCommand = [...ourProgram(), "sql-worker"];
  takeFolder(dataFolder);
  await waitForSpace({ dataFolder, loaded, sqlCommand, say: options.say });
  let endFull = (): void => process.exit(70); // until there are calls that could settle
  const openCalls = createOpenCalls();
  const log = openLog({
    path: dataFolder,
    projections,
    definitions: eventDefinitions,
    build: BUILD,
    version: VERSION,
    failpoint,
    onDiskFull: () => endFull(),
    isAlone: () => openCalls.size <= 1,
  });
  const space = watchSpace(folderFacts(dataFolder, DATABASE).freeBytes);
  const keys = openKeys(dataFolder);
  const vault = createVault({ key: keys.markers, patterns });
  const say = (line: string) => options.say(vault.redactText(line));
  for (const warning of [log.anchorProblem, ...keys.warnings]) if (warning !== undefined) say(`warning: ${warning}`);
  const sealed = openSealedStore(dataFolder, keys.derive(SEALED_PURPOSE), Date.now, (problem) => say(`warning: ${problem}`));
  endAtEvents(environment, log, sealed, failpoint);
  sweepOrphans(log.id);
  const logins = createLogins({ vault, sealed, say });
  const allowPrivate = () => loaded.config.bridge.allowPrivateAddresses;
  const outside = createOutside({ allowPrivate, environment, marker: log.id });
  const language = createLanguage({ kernel: () => kernel, clock: systemClock, redact: vault.redactText, say });
  const kernel: Kernel = createKernel({
    summaryOf: language.summaryOf,
    sealed,
    stateKey: keys.derive("request states"),
    llm: language.llm,
    log,
    openCalls,
    clock: systemClock,
    vault,
    digestKey: keys.digests,
    random: Math.random,
    failpoint,
    settings: () => loaded.config.bridge,
    connect: connectWith({ log, environment, redact: vault.redactText, allowPrivate, authorizationOf: logins.authorizationOf }),
    runHook: outside.runHook,
    webhookOf: outside.webhookOf,
    closedFor: space.closedFor,
    attachments: () => loaded.config.bridge.attachmentsPath ?? join(dataFolder, "attachments"),
    inlineTextLimit: () => loaded.config.bridge.resourceInlineTextLimit,
    agentServers: { resolve: resolveName, allowPrivate, randomServerId, operatorUrls: () => urlsOf(loaded.config) },
    onTurnFailed: (to, error) => say(`a turn for ${to} failed: ${messageOf(error)}`),
  });
  const doors = createDoors({
    kernel,
    log,
    vault,
    keys,
    dataFolder,
    config: () => loaded,
    secretsChanged: (by) => applying.secretsChanged(by),
    reconnect: (name) => logins.reconnect(name, kernel.connections),
    sqlCommand,
    anyPort: options.anyPort,
  });
  const server = doors.listen();
  const url = `http://${loaded.config.listen.host}:${server.port}`;
  const open = log.query<{ session: string; server: string | null }>("select distinct session, server from calls where status <> 'ended'");
  const recovered = await recover(
    kernel.runtime,
    { sessions: [...new Set(open.map(({ session }) => session))], servers: [...new Set(open.flatMap(({ server: of }) => of ?? []))] },
    join(dataFolder, "starting"),
  );
  for (const timer of log.query<TimerRow>("select address, key, at from timers")) kernel.timers.set(timer);
  kernel.questions.resume();
  await endStreams(kernel.runtime, log);
  await kernel.runtime.enter(SYSTEM, { type: "start", version: VERSION, build: BUILD });

  const secrets = createSecrets({ sealed, vault, runtime: kernel.runtime });
  const applying = createApplying({
    configure: {
      kernel,
      language,
      outside,
      vault,
      environment,
      self: { listen: { host: loaded.config.listen.host, port: server.port ?? 0 }, commands: options.commands },
      secret: secrets.of,
      randomServerId,
    },
    secrets,
    loaded,
    onResult(result) {
      if (result.ok) loaded = result;
      doors.configured(result);
    },
    say,
  });
  await applying.start();
  const streams = listenStreams(join(dataFolder, MCP_SOCKET), doors.edge);
  doors.open(recovered);

  void applying.secretsChanged("start").catch(() => undefined); // until the doors were open nobody could tell us
  const watching = watchConfig({ options: options.loadOptions, current: options.loaded, onChange: applying.changed });
  const housekeeping = setInterval(doors.housekeep, HOUSEKEEPING_MS);
  const spaceChecks = setInterval(space.check, SPACE_CHECK_MS);
  endFull = () => stopWhenFull(space, openCalls, say);

  return {
    url,
    pulse() {
      const { open, served } = doors.pulse();
      return { open: open + streams.open + kernel.openCalls.size, served: served + streams.served };
    },
    async stop(reason) {
      clearInterval(housekeeping);
      clearInterval(spaceChecks);
      watching.stop();
      await applying.done();
      streams.stopListening();
      await doors.stop(); // what runs gets its answer, over a stream too
      streams.stop();
      language.stop();
      await kernel.connections.close();
      kernel.timers.stop();
      await kernel.runtime.enter(SYSTEM, { type: "stop", reason });
      for (const snapshot of kernel.runtime.actors.snapshots()) log.saveSnapshot(snapshot);
      sealed.close();
      await log.close();
      rmSync(join(dataFolder, HTTP_SOCKET), { force: true });
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "unknown");
