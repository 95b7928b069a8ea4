/** What the log knows of a server's protocol era, so that it need not be asked at every connect. */
import type { Reader } from "../log/reader.ts";

/** A server that was updated still answers the old way, so the old verdict has to be doubted now and then. */
const LEGACY_LIFETIME_MS = 86_400_000;

/** Of the incarnation `id`, as it last said itself. */
export function eraHintOf(log: Pick<Reader, "query">, id: string, now = Date.now()): { era: "legacy" | "modern" } | undefined {
  const row = log.query<{ era: "legacy" | "modern"; era_at: number }>(
    "select era, era_at from servers where id = ? and era_at is not null",
    id,
  )[0];
  if (!row || (row.era === "legacy" && now - row.era_at > LEGACY_LIFETIME_MS)) return undefined;
  return { era: row.era };
}
