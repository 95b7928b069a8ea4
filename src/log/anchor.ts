/** The anchor: the head of the log outside the database. SQLite does not notice when the end of its WAL is lost; the anchor does. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Head } from "../runtime/event-log.ts";
import { replaceFile, replaceFileSync } from "./files.ts";
import { type AnchoredHead, openNote, originOf, signHead, verifierKey } from "./note.ts";

const anchorFile = (folder: string) => join(folder, "anchor");
const publicKeyFile = (folder: string) => join(folder, "keys", "anchor.pub");
const privateKeyFile = (folder: string) => join(folder, "keys", "anchor.key");
const REJECTED = "anchor.rejected-";

/** The head that the folder's anchor vouches for; undefined when there is none. Throws when it, or its public key, was changed. */
export function readAnchor(folder: string): AnchoredHead | undefined {
  if (!existsSync(anchorFile(folder))) return undefined;
  return openNote(readFileSync(anchorFile(folder), "utf8"), readFileSync(publicKeyFile(folder), "utf8"));
}

/** Anchors that did not fit the log when it was opened: kept as evidence until an operator removes them. */
export function rejectedAnchors(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(REJECTED));
}

export interface Anchor {
  write(head: Head): Promise<void>;
  writeSync(head: Head): void;
}

/** Makes the key pair of a new log, mode 0600. The folder must be locked. */
export function anchorOf(folder: string, logId: string): Anchor {
  const key = keyOf(folder);
  const origin = originOf(logId);
  const verifier = `${verifierKey(origin, key)}\n`;
  if (!existsSync(publicKeyFile(folder)) || readFileSync(publicKeyFile(folder), "utf8") !== verifier)
    replaceFileSync(publicKeyFile(folder), verifier);
  const note = ({ position, hash }: Head) => signHead({ origin, position, hash }, key);
  return {
    write: (head) => replaceFile(anchorFile(folder), note(head)),
    writeSync: (head) => replaceFileSync(anchorFile(folder), note(head)),
  };
}

/** Compare the anchor with the log at its start. An anchor that does not fit is moved aside, and the answer says what is wrong. */
export function checkAnchor(folder: string, head: Head, hashAt: (position: number) => string | undefined): string | undefined {
  const problem = misfit(folder, head, hashAt);
  if (problem === undefined) return undefined;
  const aside = `${REJECTED}${rejectedAnchors(folder).length + 1}`;
  if (existsSync(anchorFile(folder))) renameSync(anchorFile(folder), join(folder, aside));
  return `${problem}. The anchor is kept as ${aside}; compare with a backup, then remove that file`;
}

function misfit(folder: string, head: Head, hashAt: (position: number) => string | undefined): string | undefined {
  try {
    const anchor = readAnchor(folder);
    if (anchor === undefined) return head.position > 0 ? "the log has no anchor: whether its end is complete cannot be told" : undefined;
    if (anchor.position > head.position)
      return `the log ends at position ${head.position}, but its anchor names ${anchor.position}: the events between are lost`;
    if (hashAt(anchor.position) !== anchor.hash) return `position ${anchor.position} is not the event that the anchor names`;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function keyOf(folder: string): KeyObject {
  const path = privateKeyFile(folder);
  mkdirSync(join(folder, "keys"), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(`${path}.tmp`, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  }
  return createPrivateKey(readFileSync(path));
}
