/** `/readyz`, `/version`: whether calls can be served, and if not or not fully, why. */
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";

export interface HealthPorts {
  /** Every actor has settled what a crash left open. */
  readonly isRecovered: () => boolean;
  readonly isOpen: () => boolean;
  /** Addresses that recovery skipped since they kept ending the process. */
  readonly skipped: () => readonly string[];
  /** Of the data folder's file system; undefined for a log in memory. */
  readonly freeBytes: () => number | undefined;
  /** Why nothing can be appended any more. */
  readonly logFailing: () => string | undefined;
  readonly version: string;
  readonly build: string;
}
export interface Health {
  ready(verbose: boolean): Response;
  version(): Response;
  /** What is not as it should be, in sentences. */
  degraded(): readonly string[];
}

interface Check {
  readonly name: string;
  /** `degraded` is told, and calls are served all the same. */
  readonly status: "ok" | "degraded" | "failed";
  readonly detail?: string;
}

/** Below this nothing that may act is admitted any more. */
export const MIN_FREE_BYTES = 64 * 1024 * 1024;

export function createHealth(ports: HealthPorts): Health {
  const checks = (): readonly Check[] => {
    const skipped = ports.skipped();
    const free = ports.freeBytes();
    const failing = ports.logFailing();
    const isLow = free !== undefined && free < MIN_FREE_BYTES;
    return [
      ports.isRecovered() ? { name: "recovery", status: "ok" } : { name: "recovery", status: "failed", detail: "recovery is under way" },
      ports.isOpen() ? { name: "doors", status: "ok" } : { name: "doors", status: "failed", detail: "no calls are taken yet, or any more" },
      failing === undefined ? { name: "log", status: "ok" } : { name: "log", status: "failed", detail: failing },
      isLow
        ? {
            name: "disk",
            status: "failed",
            detail: `${Math.floor(free / 2 ** 20)} MiB are free, 64 are needed: make room in the data folder`,
          }
        : { name: "disk", status: "ok" },
      skipped.length > 0
        ? {
            name: "actors",
            status: "degraded",
            detail: `skipped at the start, their open calls are in doubt: ${skipped.join(", ")} (see "toolcrib doctor")`,
          }
        : { name: "actors", status: "ok" },
    ];
  };
  const sentences = (all: readonly Check[]) => all.flatMap(({ name, detail }) => (detail === undefined ? [] : [`${name}: ${detail}`]));

  return {
    ready(verbose) {
      const all = checks();
      const isReady = all.every(({ status }) => status !== "failed");
      const degraded = sentences(all);
      const status = isReady ? (degraded.length > 0 ? "degraded" : "ready") : "unavailable";
      const headers: Record<string, string> = isReady ? {} : { "retry-after": "1" };
      return Response.json({ status, degraded, ...(verbose && { checks: all }) }, { status: isReady ? 200 : 503, headers });
    },
    version: () => Response.json({ name: "toolcrib", version: ports.version, build: ports.build }),
    degraded: () => sentences(checks()),
  };
}

/** Sizes for health and metrics of a data folder; `database` is the file name of the log in it. */
export function folderFacts(folder: string, database: string): { walBytes(): number; freeBytes(): number | undefined } {
  return {
    walBytes: () => statSync(join(folder, `${database}-wal`), { throwIfNoEntry: false })?.size ?? 0,
    freeBytes() {
      try {
        const { bavail, bsize } = statfsSync(folder);
        return bavail * bsize;
      } catch {
        return undefined; // not every file system tells
      }
    },
  };
}
