/** The secret store of a data folder, for verbs: opened for a change, or only looked into. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { openKeys } from "../secrets/keys.ts";
import { openSealedStore, SEALED_DATABASE, SEALED_PURPOSE, SECRET_KIND, type SealedStore } from "../secrets/sealed.ts";
import { takeFolder } from "../system/folder.ts";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { complain, EXIT, type Failure, failure } from "./exit.ts";

/** Makes the folder, its keys and the store when they are missing. Throws a `Failure` (77) when the folder is somebody else's. */
export function openSecrets(folder: string): SealedStore {
  takeFolder(folder);
  const user = process.getuid?.();
  const owner = statSync(folder).uid;
  if (user !== undefined && owner !== user)
    throw failure(
      EXIT.notPermitted,
      `${folder} belongs to user ${owner}, and the daemon could not read what you write there: run this as that user`,
    );
  return open(folder, complain);
}

/** Without the files of a store there are no secrets: this makes none. Close it after use. */
export function existingSecrets(folder: string, report: (problem: string) => void): SealedStore | undefined {
  const isThere = existsSync(join(folder, SEALED_DATABASE)) && existsSync(join(folder, "keys", "installation.key"));
  return isThere ? open(folder, report) : undefined;
}

const open = (folder: string, report: (problem: string) => void): SealedStore =>
  openSealedStore(folder, openKeys(folder).derive(SEALED_PURPOSE), Date.now, report);

/** The value of a secret for `${secret:NAME}`; every name is missing when there is no store. What is wrong with the store is reported. */
export function secretLookup(folder: string, report: (problem: string) => void): (name: string) => string | undefined {
  return (name) => {
    try {
      const store = existingSecrets(folder, report);
      try {
        return store?.get(SECRET_KIND, name);
      } finally {
        store?.close();
      }
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
}

/** Tells the running daemon that secrets changed; resolves with what to tell whoever changed them. */
export async function tellDaemon(folder: string): Promise<string> {
  try {
    const { status, body } = await askDaemon(folder, "POST", "/v1/secrets/reload");
    if (status === 200) return "the running toolcrib uses it";
    if (status === 503) return "the toolcrib that is starting will use it";
    throw failure(EXIT.failed, `it is stored, but the running toolcrib did not take it: ${errorOf(body)?.message ?? status}`);
  } catch (error) {
    if ((error as Failure).exitCode === EXIT.unavailable) return "no toolcrib runs now: the next start uses it";
    throw error;
  }
}
