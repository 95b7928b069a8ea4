/** Erasure when no program runs on the folder; a running one is asked to do it by its own log. */
import type { Erased, ErasureRequest } from "../log/erasure.ts";
import { type LogOptions, openLog } from "../log/log.ts";

/** Takes the folder's lock for the time it needs. Throws a `LogError` "locked" while a program runs. */
export async function eraseOffline(options: LogOptions, request: ErasureRequest): Promise<Erased> {
  const log = openLog(options);
  try {
    return await log.erase(request);
  } finally {
    await log.close();
  }
}
