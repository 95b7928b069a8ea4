/** Free values of any size: small ones stand beside their event, larger ones are named by their SHA-256. */
import { z } from "zod";

/** A payload longer than this many characters of JSON becomes a blob. */
export const BLOB_THRESHOLD = 8192;
/** Blobs up to this many bytes live in a table of the log; larger ones in files of their own. */
export const BLOB_TABLE_LIMIT = 1024 * 1024;

/** What stands in place of a value that was stored as a blob. `head` is its first characters, for people. */
export const BlobReference = z.strictObject({
  $blob: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  bytes: z.int(),
  head: z.string().max(200),
});
export type BlobReference = z.output<typeof BlobReference>;
