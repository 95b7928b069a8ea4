/** What the system refuses, in words: which file, why, and what to do next, in place of "ENOENT: no such file or directory, open". */

const WORDS: Readonly<Record<string, readonly [why: string, next: string]>> = {
  ENOENT: ["there is no such file or folder", "check the path"],
  ENOTDIR: ["a part of the path is a file", "check the path"],
  EISDIR: ["it is a folder", "name a file"],
  EEXIST: ["it is there already", "name a new one"],
  EACCES: ["this user may not use it", "run this as its owner, or name another place"],
  EPERM: ["this user may not use it", "run this as its owner, or name another place"],
  EROFS: ["the file system is read-only", "name another place"],
  ENOSPC: ["the disk is full", "make room"],
  EDQUOT: ["the quota is used up", "make room"],
  ENAMETOOLONG: ["the name is too long", "choose a shorter one"],
  ELOOP: ["its links go round in circles", "check the path"],
  EMFILE: ["too many files are open", "raise the limit (ulimit -n)"],
  EIO: ["the disk gave an error", "look at the disk"],
};

/** Undefined: it is no refusal of the system, or one that names no file; then its own message stands. */
export function systemErrorWords(error: Error): string | undefined {
  const { code, path, dest } = error as Error & { readonly code?: unknown; readonly path?: unknown; readonly dest?: unknown };
  const file = typeof dest === "string" ? dest : path;
  const words = WORDS[String(code)];
  // A message of ours names the file itself; the system's begins with its code.
  if (!words || typeof file !== "string" || !error.message.startsWith(String(code))) return undefined;
  return `${file}: ${words[0]}; ${words[1]}`;
}
