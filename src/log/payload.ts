/** How free values are stored: salted, their digest spliced into the hashed data, the large ones moved out to blobs. */
import { randomBytes } from "node:crypto";
import { BLOB_THRESHOLD, type BlobReference } from "../../events/payload.ts";
import { sha256 } from "./hash.ts";

/** Bytes that stand in the `blobs` table or in a file, by their SHA-256. */
export interface Blob {
  /** Hex. */
  readonly hash: string;
  readonly content: Uint8Array;
}

export interface StoredPayload {
  /** `<base64 salt>.<json>`, or `<base64 salt>@<json of a BlobReference>`: the mark keeps somebody's own value from passing for a reference. */
  readonly column: string;
  readonly blob?: Blob;
}

const SALT_BYTES = 16;
const MARK = 24; // the length of 16 bytes in base64
const HEAD = 200;

let pool = Buffer.alloc(0);

/** Drawn by the page: one call to the system for every 256 salts. */
function freshSalt(): string {
  if (pool.length < SALT_BYTES) pool = randomBytes(256 * SALT_BYTES);
  const salt = pool.toString("base64", 0, SALT_BYTES);
  pool = pool.subarray(SALT_BYTES);
  return salt;
}

export function storePayload(json: string): StoredPayload {
  const salt = freshSalt();
  if (json.length <= BLOB_THRESHOLD) return { column: `${salt}.${json}` };
  const content = Buffer.from(json);
  const hash = Bun.SHA256.hash(content, "hex");
  const reference: BlobReference = { $blob: `sha256:${hash}`, bytes: content.length, head: wellFormed(json.slice(0, HEAD)) };
  return { column: `${salt}@${JSON.stringify(reference)}`, blob: { hash, content } };
}

/** The value in a payload column; for a large one, the reference to it. */
export function payloadOf(column: string): unknown {
  return JSON.parse(column.slice(MARK + 1));
}

/** Hex hash of the blob that a payload column names, if it names one. */
export function blobOf(column: string): string | undefined {
  if (column[MARK] !== "@") return undefined;
  const { $blob } = JSON.parse(column.slice(MARK + 1)) as BlobReference;
  return $blob.slice("sha256:".length);
}

/** The digest that `data` holds of a payload column. */
export const payloadDigest = sha256;

const KEY = '"payload":"';
const TAIL = KEY.length + 64 + '"}'.length;

/** Data with the payload's digest as its last key. */
export function withDigest(data: string, digest: string): string {
  return `${data.slice(0, -1)}${data.length > 2 ? "," : ""}${KEY}${digest}"}`;
}

/** Stored data taken apart again: the event's own data, and the payload's digest if it has or had one. */
export function splitDigest(stored: string): { data: string; digest?: string } {
  if (!stored.endsWith('"}') || !stored.startsWith(KEY, stored.length - TAIL)) return { data: stored };
  const own = stored.slice(0, stored.length - TAIL);
  return { data: `${own.endsWith(",") ? own.slice(0, -1) : own}}`, digest: stored.slice(-66, -2) };
}

/** A cut can split a surrogate pair in two. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}
