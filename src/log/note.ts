/** The head of a log as a C2SP checkpoint in a signed note (Ed25519): other tools can check it with the public key alone. */
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/** What a checkpoint says: so many events, and the hash of the last one. */
export interface AnchoredHead {
  readonly origin: string;
  readonly position: number;
  /** Hex. */
  readonly hash: string;
}

const ED25519 = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
/** SubjectPublicKeyInfo of an Ed25519 key, up to the key itself. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

export const originOf = (logId: string) => `toolcrib/${logId}`;

/** The verifier key line of the C2SP format: `<name>+<key id>+<base64 of algorithm and key>`. */
export function verifierKey(origin: string, key: KeyObject): string {
  return verifierLine(origin, rawKey(key));
}

function verifierLine(origin: string, raw: Buffer): string {
  return `${origin}+${keyId(origin, raw).toString("hex")}+${Buffer.concat([Buffer.of(ED25519), raw]).toString("base64")}`;
}

export function signHead(head: AnchoredHead, key: KeyObject): string {
  const text = checkpoint(head);
  const signature = Buffer.concat([keyId(head.origin, rawKey(key)), sign(null, Buffer.from(text), key)]);
  return `${text}\n— ${head.origin} ${signature.toString("base64")}\n`;
}

/** The head that a note vouches for. Throws when any byte of it is not as it was signed and written. */
export function openNote(note: string, verifier: string): AnchoredHead {
  const [origin = "", , ...key] = verifier.trim().split("+"); // base64 may have a "+" of its own
  const raw = Buffer.from(key.join("+"), "base64").subarray(1);
  if (raw.length !== KEY_BYTES || verifierLine(origin, raw) !== verifier.trim()) throw new Error("the public key of the anchor is damaged");
  const [text = "", signatures = ""] = note.split("\n\n");
  const signed = Buffer.from(signatures.slice(`— ${origin} `.length), "base64");
  const [, position = "", root = ""] = text.split("\n");
  const head = { origin, position: Number(position), hash: Buffer.from(root, "base64").toString("hex") };
  // Written again and compared: base64 has several spellings of the same bytes.
  const rewritten = `${checkpoint(head)}\n— ${origin} ${signed.toString("base64")}\n`;
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: "der", type: "spki" });
  const valid = verify(null, Buffer.from(`${text}\n`), publicKey, signed.subarray(KEY_ID_BYTES));
  if (rewritten !== note || !valid || !signed.subarray(0, KEY_ID_BYTES).equals(keyId(origin, raw)))
    throw new Error("the signature of the anchor does not fit its text");
  return head;
}

function checkpoint({ origin, position, hash }: AnchoredHead): string {
  return `${origin}\n${position}\n${Buffer.from(hash, "hex").toString("base64")}\n`;
}

function rawKey(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return publicKey.export({ format: "der", type: "spki" }).subarray(-KEY_BYTES);
}

function keyId(origin: string, raw: Buffer): Buffer {
  return createHash("sha256").update(`${origin}\n`).update(Buffer.of(ED25519)).update(raw).digest().subarray(0, KEY_ID_BYTES);
}
