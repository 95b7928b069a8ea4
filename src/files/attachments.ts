/** Files that hold what is too large, or no text, for an answer: kept under names of their own in one folder. */
import { randomBytes } from "node:crypto";
import { mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";

export interface NewFile {
  /** Leads the file's name; anything odd in it is replaced. */
  readonly stem: string;
  readonly mime?: string;
  readonly data: string | Uint8Array;
}
export interface SavedFile {
  readonly path: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly mime: string;
}
export type SaveFile = (file: NewFile) => Promise<SavedFile | string>;

/** Nothing that a server sends may fill the disk with one file. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_STEM = 80;
const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/gzip": "gz",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "video/mp4": "mp4",
};

const essence = (mime: string | undefined): string => mime?.split(";")[0]?.trim().toLowerCase() ?? "";
const cleaned = (stem: string): string =>
  stem
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^[._]+/, "")
    .slice(0, MAX_STEM) || "attachment";

/** Never overwrites: a name that is taken gets another number. Answers why not, in words, when the file cannot be written. */
export function createSaveFile(folder: () => string): SaveFile {
  return async ({ stem, mime, data }) => {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    if (bytes.length > MAX_BYTES) return `it has ${bytes.length} bytes, more than the ${MAX_BYTES} that are kept`;
    const kind = essence(mime) || (typeof data === "string" ? "text/plain" : "application/octet-stream");
    const name = `${cleaned(stem)}-${randomBytes(4).toString("hex")}.${EXTENSIONS[kind] ?? "bin"}`;
    const path = join(folder(), name);
    try {
      await mkdir(folder(), { recursive: true, mode: 0o700 });
      const handle = await open(path, "wx", 0o600);
      try {
        await handle.writeFile(bytes);
      } catch (error) {
        await unlink(path).catch(() => undefined);
        throw error;
      } finally {
        await handle.close();
      }
      return { path, name, size: bytes.length, mime: kind };
    } catch (error) {
      return `the file could not be written (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`;
    }
  };
}
