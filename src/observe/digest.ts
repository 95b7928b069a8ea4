/** Short names for long values: what twins, grants and approvals compare, and what a tool's definition is known by. */
import { canonicalize } from "./canonical.ts";

/**
 * HMAC-SHA-256 (64 hex characters) over the canonical JSON of the arguments as they will be sent: originals, not markers. Keyed, so that
 * a digest in the log cannot be tried against guesses. Throws a CanonicalError only for values nested deeper than 512.
 */
export function argumentDigest(key: Uint8Array, args: unknown): string {
  return new Bun.CryptoHasher("sha256", key).update(canonicalize(args, "escape")).digest("hex");
}

/**
 * SHA-256 (64 hex characters) over the canonical JSON of any value: the same hash means the same value, whatever the order of its keys.
 * Throws a CanonicalError only for nesting deeper than 512 and for what JSON cannot say.
 */
export function canonicalHash(value: unknown): string {
  return Bun.SHA256.hash(canonicalize(value, "escape"), "hex");
}
