/** The keys of an installation: made at its first start, kept in `keys/` of the data folder, readable by its owner only. */
import { hkdfSync, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface Keys {
  /** 32 bytes: the key of argument digests. */
  readonly digests: Uint8Array;
  /** 32 bytes: the key of the vault's markers. */
  readonly markers: Uint8Array;
  /** 32 bytes for one more purpose, named once and for ever; what one of them does tells nothing about another. */
  derive(purpose: string): Uint8Array;
  /** The admin token made at the first start. */
  readonly operatorToken: string;
  /** Whether this call made the installation's key, that is, whether this is a first start. */
  readonly created: boolean;
  /** For the log at start: files or folders that others can read. */
  readonly warnings: readonly string[];
}

const KEY_BYTES = 32;
/** 22 characters of base64url are the first to hold 128 bits. */
const TOKEN = /^[A-Za-z0-9_-]{22,512}$/;

/**
 * Reads the keys of a data folder, and makes those that are missing. Two processes that start together get the same ones.
 * Throws when a file is there but is not a key: a new one in its place would orphan every digest and marker in the log.
 */
export function openKeys(dataFolder: string): Keys {
  const folder = join(dataFolder, "keys");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keyFile = join(folder, "installation.key");
  const tokenFile = join(folder, "operator.token");
  const created = createOnce(keyFile, () => randomBytes(KEY_BYTES));
  createOnce(tokenFile, () => `${randomBytes(KEY_BYTES).toString("base64url")}\n`);

  const key = readFileSync(keyFile);
  if (key.length !== KEY_BYTES) {
    throw new Error(
      `${keyFile} holds ${key.length} bytes instead of ${KEY_BYTES}. Restore it from a backup: with another key the argument digests and markers in the log no longer match.`,
    );
  }
  const operatorToken = readFileSync(tokenFile, "utf8").trim();
  if (!TOKEN.test(operatorToken)) {
    throw new Error(`${tokenFile} holds no token (22 or more of A-Z, a-z, 0-9, "-", "_"). Delete it: the next start makes a new one.`);
  }
  const derive = (purpose: string) => new Uint8Array(hkdfSync("sha256", key, "", `toolcrib ${purpose}`, KEY_BYTES));
  return {
    digests: derive("argument digests"),
    markers: derive("secret markers"),
    derive,
    operatorToken,
    created,
    warnings: [folder, keyFile, tokenFile].flatMap(widePermissions),
  };
}

/** Whole or not at all: written beside its place, made durable, then linked into it, which fails when somebody was faster. */
function createOnce(file: string, content: () => Uint8Array | string): boolean {
  if (statSync(file, { throwIfNoEntry: false })) return false;
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeAll(descriptor, content());
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeAll(descriptor: number, content: Uint8Array | string): void {
  try {
    const bytes = Buffer.from(content);
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function widePermissions(path: string): readonly string[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return [];
  return [`${path} can be used by others than its owner (mode ${mode.toString(8)}). Run: chmod go= "${path}"`];
}
