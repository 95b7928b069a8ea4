/** Copies the WAL into the database in a thread of its own, so that no turn waits for it. Runs as written, not transpiled: no type annotations, only built-in imports. */
import { Database } from "bun:sqlite";
import { parentPort } from "node:worker_threads";

const RESTART_FRAMES = (16 * 1024 * 1024) / 4096;

const connections = new Map();

const connection = (path = "") => {
  if (!connections.has(path)) {
    const db = new Database(path, { readwrite: true });
    for (const setting of ["busy_timeout=100", "synchronous=full", "wal_autocheckpoint=0"]) db.run(`pragma ${setting}`);
    connections.set(path, db);
  }
  return connections.get(path);
};

/** The number of pages in the WAL. The statement is released at once: an open one keeps a database from closing. */
const copy = (path = "", mode = "passive") => {
  const statement = connection(path).prepare(`pragma wal_checkpoint(${mode})`);
  const { log } = statement.get();
  statement.finalize();
  return log;
};

/** The writer goes on while PASSIVE works. RESTART lets it begin the WAL anew, but holds it up for a moment: only for one that has grown. */
const checkpoint = (path = "") => {
  if (copy(path) > RESTART_FRAMES) copy(path, "restart");
};

const close = () => {
  for (const db of connections.values()) db.close();
  connections.clear();
};

parentPort?.on("message", (message) => {
  if (message === "stop") close();
  else checkpoint(message);
  parentPort?.postMessage(message);
});

/** An import with type "file" gives the path of this file instead, inside a compiled binary too. */
export default "";
