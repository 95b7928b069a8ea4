/** Reads every page of a list, with a guard against a list that never ends. */
import type { CallOutcome } from "./downstream.ts";

const MAX_PAGES = 1000;

/** One page of a list, asked for with these parameters. */
export type ReadPage = (params: Readonly<Record<string, unknown>>) => Promise<CallOutcome>;

export type Pages =
  | { readonly ok: true; readonly entries: readonly unknown[] }
  /** `code` is the server's own error code, when it gave one. `authorization`: a person has to act first. */
  | { readonly ok: false; readonly reason: string; readonly code?: number; readonly authorization?: true };

/** All entries under `key`, whatever they are. No further page is asked for once `maxEntries` are there. Never rejects. */
export async function readPages(key: string, page: ReadPage, maxEntries = Number.POSITIVE_INFINITY): Promise<Pages> {
  const all: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const outcome = await page(cursor === undefined ? {} : { cursor });
    if (outcome.kind === "rpc_error") return { ok: false, reason: `${outcome.message} (${outcome.code})`, code: outcome.code };
    if (outcome.kind === "not_sent" && outcome.authorization) return { ok: false, reason: outcome.reason, authorization: true };
    if (outcome.kind !== "result") return { ok: false, reason: outcome.reason };
    const { [key]: entries, nextCursor } = outcome.result;
    if (!Array.isArray(entries))
      return { ok: false, reason: `the answer has no list "${key}". Update the server, or report this to its author.` };
    for (const entry of entries) all.push(entry);
    if (typeof nextCursor !== "string" || nextCursor === "" || all.length > maxEntries) return { ok: true, entries: all };
    if (seen.has(nextCursor))
      return {
        ok: false,
        reason: "the server gave the same nextCursor twice, its list would never end. Report this to its author.",
      };
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return { ok: false, reason: `more than ${MAX_PAGES} pages. Report this to the server's author.` };
}
