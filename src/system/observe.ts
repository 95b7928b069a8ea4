/** What can be looked at from outside: health, metrics, the debug views, all over one kernel. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nameOf } from "../../actors/address.ts";
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import { stateAt } from "../audit/state-at.ts";
import type { Loaded, LoadResult } from "../config/load.ts";
import { formatProblem } from "../config/problems.ts";
import { unknownTools } from "../config/unknown-tools.ts";
import { debugRoutes } from "../doors/debug/routes.ts";
import { createHealth, folderFacts, type Health } from "../doors/health.ts";
import type { Routes } from "../doors/http.ts";
import { createMetrics, type Metrics } from "../doors/metrics.ts";
import type { Log } from "../log/log.ts";
import { DATABASE } from "../log/reader.ts";
import { systemClock } from "../runtime/timers.ts";
import type { Vault } from "../secrets/vault.ts";
import { BUILD, VERSION } from "../version.ts";
import type { Kernel } from "./kernel.ts";

export interface ObservePorts {
  readonly kernel: Kernel;
  readonly log: Log;
  readonly vault: Vault;
  readonly dataFolder: string;
  readonly sessionsInMemory: () => number;
  readonly isOpen: () => boolean;
  readonly skipped: () => readonly string[];
  readonly sqlCommand: readonly string[];
  /** Aborted when the program stops. */
  readonly stopping: AbortSignal;
}
export interface Observation {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly debug: Routes;
  /** A configuration came into force, or was found to be broken. */
  configured(result: LoadResult): void;
}

const warningsOf = ({ policy, servers }: Catalogue): readonly string[] =>
  unknownTools(
    policy,
    [...servers.values()].map(({ name, offers }) => ({ name, offers: offers.values() })),
  );

export function observe(ports: ObservePorts): Observation {
  const { kernel, log, vault, dataFolder, sessionsInMemory } = ports;
  const { runtime, connections, views } = kernel;
  const facts = folderFacts(dataFolder, DATABASE);
  let applied: { loaded: Loaded; at: number } | undefined;
  let errors: readonly string[] = [];

  const health = createHealth({
    isRecovered: ports.isOpen,
    isOpen: ports.isOpen,
    skipped: ports.skipped,
    freeBytes: facts.freeBytes,
    logFailing: () => (log.diskFull ? "the disk is full" : undefined),
    version: VERSION,
    build: BUILD,
  });
  const metrics = createMetrics({
    offerOf: (name) => runtime.catalogue().names.get(name),
    inDoubt: () => views.doubts().length,
    openQuestions: views.openQuestions,
    runningTasks: views.runningTasks,
    serverName: (stream) => serverOf(runtime.catalogue(), nameOf(stream))?.name ?? "",
    webhookFailures: kernel.webhook.failures,
    sessionsInMemory,
    position: () => log.head.position,
    walBytes: facts.walBytes,
    connections: () => connections.all().map(({ state }) => state),
    hooks: kernel.hookCounts,
    counted: kernel.questions.counts.text,
    version: VERSION,
    build: BUILD,
  });
  kernel.onCommitted(metrics.observeCommit);
  const anchor = join(dataFolder, "anchor");
  const debug = debugRoutes({
    reader: log,
    stopping: ports.stopping,
    clock: systemClock,
    onCommitted: (listener) => kernel.onCommitted(() => listener()),
    stateAt: (stream, at) => stateAt(log, stream, at),
    catalogue: runtime.catalogue,
    definitionOf: kernel.definitions.of,
    live(server) {
      const connection = connections.of(server);
      if (!connection) return undefined;
      const { state, lastError, blocked, downstream } = connection;
      return { state, lastError, blocked, stderr: downstream?.stderr() ?? [], pid: downstream?.pid };
    },
    disabled: () =>
      Object.entries(applied?.loaded.config.mcpServers ?? {}).flatMap(([name, { disabled, kind }]) =>
        disabled ? [{ name, transport: kind }] : [],
      ),
    redact: vault.redactText,
    folder: dataFolder,
    sqlCommand: () => ports.sqlCommand,
    startedAt: Date.now(),
    version: VERSION,
    build: BUILD,
    config: () => ({
      file: applied?.loaded.file,
      digest: applied?.loaded.digest ?? "",
      appliedAt: applied?.at ?? 0,
      errors,
      warnings: warningsOf(runtime.catalogue()),
    }),
    gauges: metrics.gauges,
    sessionsInMemory,
    walBytes: facts.walBytes,
    degraded: health.degraded,
    checkpoint: () => (existsSync(anchor) ? readFileSync(anchor, "utf8") : undefined),
  });
  return {
    health,
    metrics,
    debug,
    configured(result) {
      if (result.ok) applied = { loaded: result, at: Date.now() };
      errors = result.ok ? [] : [...new Set(result.errors.map(formatProblem))];
    },
  };
}
