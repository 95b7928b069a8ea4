/**
 * Opens a log as the next release would whose projections have a higher version, and dies by kill -9 at the n-th event that is folded again.
 *   bun refold.ts FOLDER N (0: to the end, and a clean close)
 */
import { eventDefinitions } from "../../../events/all.ts";
import { openLog } from "../../../src/log/log.ts";
import type { Apply, Projection } from "../../../src/log/projection.ts";
import { raised } from "./raised.ts";

const [folder = "", n] = process.argv.slice(2);
let left = Number(n);
const deadly = (apply: Apply): Apply => {
  return (tx, event, turn) => {
    if (--left === 0) process.kill(process.pid, "SIGKILL");
    apply(tx, event, turn);
  };
};
const projections = raised.map((projection): Projection => {
  const on = Object.fromEntries(Object.entries(projection.on).map(([type, apply]) => [type, deadly(apply)]));
  return { ...projection, on };
});
const log = openLog({ path: folder, projections, definitions: eventDefinitions, build: "next", version: "next" });
await log.close();
