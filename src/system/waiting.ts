/** A start without space for even one event: health and the debug views answer, calls are refused, and the start goes on when there is space. */
import { EMPTY_CATALOGUE } from "../../actors/catalogue.ts";
import { eventDefinitions } from "../../events/all.ts";
import { stateAt } from "../audit/state-at.ts";
import type { Loaded } from "../config/load.ts";
import { debugRoutes } from "../doors/debug/routes.ts";
import type { Guard } from "../doors/guard.ts";
import { folderFacts } from "../doors/health.ts";
import type { Routes } from "../doors/http.ts";
import { DATABASE, type OpenReader, openReader } from "../log/reader.ts";
import { systemClock } from "../runtime/timers.ts";
import { openKeys } from "../secrets/keys.ts";
import { BUILD, VERSION } from "../version.ts";
import { guardOf } from "./guard.ts";

/** The database, its WAL and the first turns need so much. */
export const START_BYTES = 8 * 1024 * 1024;
const POLL_MS = 1000;

export interface WaitingPorts {
  readonly dataFolder: string;
  readonly loaded: Loaded;
  readonly sqlCommand: readonly string[];
  readonly say: (line: string) => void;
}

const failure = (status: number, code: string, message: string) => Response.json({ error: { code, message } }, { status });
const FULL = "the disk is full: make room in the data folder, toolcrib goes on by itself";

/** Resolves when there is space; at once when there is. */
export async function waitForSpace(ports: WaitingPorts): Promise<void> {
  const { dataFolder, loaded, say } = ports;
  const { freeBytes } = folderFacts(dataFolder, DATABASE);
  const isFull = () => (freeBytes() ?? START_BYTES) < START_BYTES;
  if (!isFull()) return;
  const reader = readerIfAny(dataFolder);
  const stopping = new AbortController();
  const debug = reader ? readOnlyDebug(ports, reader, stopping.signal) : undefined;
  const guard = guardOf(loaded, tokenIfAny(dataFolder));
  const { host, port } = loaded.config.listen;
  const server = Bun.serve({ hostname: host, port, fetch: (request) => answer(request, guard, debug) });
  say(`${FULL}; until then health and /debug answer on http://${host}:${server.port}`);
  while (isFull()) await Bun.sleep(POLL_MS);
  stopping.abort();
  await server.stop(true);
  reader?.close();
}

async function answer(request: Request, guard: Guard, debug: Routes | undefined): Promise<Response> {
  const foreign = guard.refuseForeign(request);
  if (foreign) return foreign;
  const url = new URL(request.url);
  if (url.pathname === "/healthz") return new Response("ok\n");
  if (url.pathname === "/readyz") return Response.json({ status: "unavailable", degraded: [`disk: ${FULL}`] }, { status: 503 });
  if (url.pathname === "/version") return Response.json({ name: "toolcrib", version: VERSION, build: BUILD });
  const operator = guard.operatorOf(request);
  if (!url.pathname.startsWith("/debug/") || !debug) return failure(503, "overloaded", FULL);
  if (!operator) return failure(401, "auth_required", "This route needs an operator's token.");
  return (await debug(request, url, operator)) ?? failure(404, "tool_not_found", "There is no such route.");
}

function tokenIfAny(dataFolder: string): string | undefined {
  try {
    return openKeys(dataFolder).operatorToken;
  } catch {
    return undefined; // there was no space for it yet
  }
}

function readerIfAny(dataFolder: string): OpenReader | undefined {
  try {
    return openReader(dataFolder, eventDefinitions);
  } catch {
    return undefined; // a new folder, or one that cannot even be read now
  }
}

const readOnlyDebug = ({ dataFolder, sqlCommand }: WaitingPorts, reader: OpenReader, stopping: AbortSignal): Routes =>
  debugRoutes({
    reader,
    stopping,
    clock: systemClock,
    onCommitted: () => () => undefined,
    stateAt: (stream, at) => stateAt(reader, stream, at),
    catalogue: () => EMPTY_CATALOGUE,
    definitionOf: () => undefined,
    live: () => undefined,
    disabled: () => [],
    redact: (text) => text,
    folder: dataFolder,
    sqlCommand: () => sqlCommand,
    startedAt: Date.now(),
    version: VERSION,
    build: BUILD,
    config: () => ({ file: undefined, digest: "", appliedAt: 0, errors: [], warnings: [] }),
    gauges: () => ({ inFlight: 0, waiting: 0, turnsFailed: 0 }),
    sessionsInMemory: () => 0,
    walBytes: () => 0,
    degraded: () => [`disk: ${FULL}`],
    checkpoint: () => undefined,
  });
