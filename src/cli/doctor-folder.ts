/** The doctor's look at the data folder: permissions, owner, space, log and anchor, a start that keeps failing. It takes no lock and changes nothing. */
import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions } from "../../events/all.ts";
import { HTTP_SOCKET } from "../config/paths.ts";
import { readAnchor, rejectedAnchors } from "../log/anchor.ts";
import { openReader } from "../log/reader.ts";
import { SEALED_DATABASE } from "../secrets/sealed.ts";
import { attention, type Finding, fine, note } from "./doctor-finding.ts";
import { openSocket } from "./forward.ts";

const MIN_FREE_BYTES = 64 * 1024 * 1024; // below it nothing that may act is admitted
const MAX_ATTEMPTS = 3; // starts, before an address is skipped

export async function folderFindings(folder: string): Promise<Finding[]> {
  if (!existsSync(folder)) return [note("data folder", `${folder} does not exist yet: the first start makes it`)];
  return [fine("data folder", folder), permissions(folder), await owner(folder), space(folder), log(folder), ...guardFile(folder)];
}

function permissions(folder: string): Finding {
  const keys = join(folder, "keys");
  const paths = [
    folder,
    join(folder, SEALED_DATABASE),
    keys,
    ...(existsSync(keys) ? readdirSync(keys).map((name) => join(keys, name)) : []),
  ].filter((path) => existsSync(path) && !path.endsWith(".pub"));
  const wide = paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
  if (wide.length === 0) return fine("permissions", "only the owner can use the folder and its keys");
  return attention(
    "permissions",
    `others than the owner can use ${wide.join(", ")}`,
    `chmod go= ${wide.map((path) => `"${path}"`).join(" ")}`,
  );
}

/** Who holds the lock, and whether it answers. */
async function owner(folder: string): Promise<Finding> {
  const socket = await openSocket(join(folder, HTTP_SOCKET)).catch(() => undefined);
  socket?.destroy();
  const holder = lockHolder(join(folder, "lock.db"));
  const who = holder === undefined ? "" : ` (process ${holder})`;
  if (socket) return fine("owner", `a toolcrib runs on this folder${who}`);
  if (holder !== undefined)
    return attention(
      "owner",
      `process ${holder} holds the folder, but does not answer on its socket`,
      `look at that process; if it hangs, end it: kill ${holder}`,
    );
  return note("owner", "no toolcrib runs on this folder", `start one: toolcrib serve --data ${folder}`);
}

/** From the kernel's table of locks, which Linux has; nobody's start is disturbed by looking there. */
function lockHolder(file: string): number | undefined {
  try {
    const { ino } = statSync(file);
    for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
      const [, , , kind, pid, place] = line.trim().split(/\s+/);
      if (kind === "WRITE" && place?.endsWith(`:${ino}`)) return Number(pid);
    }
  } catch {
    return undefined; // no such table, or no lock file yet
  }
  return undefined;
}

function space(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const size = `${(free / 2 ** 30).toFixed(1)} GiB free`;
  if (free < MIN_FREE_BYTES)
    return attention(
      "disk",
      `${Math.floor(free / 2 ** 20)} MiB free: below 64 MiB no call that may act is admitted`,
      "make room on the disk of the data folder",
    );
  if (existsSync(join(folder, "events.db")) && !existsSync(join(folder, "reserve")))
    return note("disk", `${size}; the reserve for a full disk is missing, the next start makes it`);
  return fine("disk", size);
}

/** Whether the log opens and fits its anchor. Only `verify` looks at every event. */
function log(folder: string): Finding {
  if (!existsSync(join(folder, "events.db"))) return note("log", "there is none yet: the first start makes it");
  const rejected = rejectedAnchors(folder);
  if (rejected.length > 0)
    return attention(
      "log",
      `an anchor did not fit the log: ${rejected.join(", ")}; the log may have lost its end`,
      "compare with a backup, then remove that file",
    );
  try {
    const anchor = readAnchor(folder); // first: it only ever names what is stored already
    const reader = openReader(folder, eventDefinitions);
    try {
      const { position } = reader.head;
      if (anchor === undefined)
        return attention("log", `${position} events, but no anchor: whether the end is complete cannot be told`, 'run "toolcrib verify"');
      const [event] = reader.page({ after: anchor.position - 1, limit: 1 });
      const isThere = anchor.position === 0 || (event?.position === anchor.position && event.hash === anchor.hash);
      if (!isThere)
        return attention(
          "log",
          `the anchor names position ${anchor.position}, which the log does not hold like that`,
          'run "toolcrib verify"',
        );
      return fine("log", `${position} events, the anchor fits (position ${anchor.position})`);
    } finally {
      reader.close();
    }
  } catch (error) {
    return attention("log", error instanceof Error ? error.message : String(error), 'run "toolcrib verify"');
  }
}

/** A start names what it is recovering in this file; that it is still there means that the start did not come to its end. */
function guardFile(folder: string): Finding[] {
  try {
    const { address, attempts } = JSON.parse(readFileSync(join(folder, "starting"), "utf8")) as { address: string; attempts: number };
    if (attempts < MAX_ATTEMPTS)
      return [note("starts", `the last start ended while ${address} was being recovered (${attempts} in a row)`)];
    const next = `look at "toolcrib events --stream ${address}", settle its calls ("toolcrib doubts"), then remove ${join(folder, "starting")} to try again`;
    return [
      attention(
        "starts",
        `${attempts} starts ended while ${address} was being recovered: it is skipped, its open calls are in doubt`,
        next,
      ),
    ];
  } catch {
    return []; // the last start came to its end
  }
}
