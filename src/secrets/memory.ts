/** Which marker stands for which original, per session, with the servers that returned it: in memory only, and bounded. */

/** Bytes are counted as two a character plus an allowance for each entry. */
export interface MemoryLimits {
  readonly entriesPerSession: number;
  readonly bytesPerSession: number;
  /** The sessions used longest ago are forgotten first. */
  readonly sessions: number;
  readonly bytes: number;
}

export const DEFAULT_LIMITS: MemoryLimits = {
  entriesPerSession: 1_000,
  bytesPerSession: 1024 * 1024,
  sessions: 4_096,
  bytes: 64 * 1024 * 1024,
};

export interface Memory {
  /** `server` returned `original`, and the session was shown `marker` instead. An original larger than a session's bytes is not kept. */
  remember(session: string, server: string, marker: string, original: string): void;
  /** The original, if this very server returned it in this session and it was not forgotten since. */
  recall(session: string, server: string, marker: string): string | undefined;
  forget(session: string): void;
  forgetServer(server: string): void;
  /** What is held now. */
  size(): { readonly sessions: number; readonly entries: number; readonly bytes: number };
}

interface Entry {
  /** Undefined: two originals share this marker (its digest is short), so that neither may be given out. */
  original: string | undefined;
  readonly servers: Set<string>;
  bytes: number;
}
interface Kept {
  readonly entries: Map<string, Entry>;
  bytes: number;
}

const ENTRY_ALLOWANCE = 256;
const cost = (text: string) => text.length * 2;

/** An empty memory. Maps keep insertion order: what is used goes to the end, what is dropped is taken from the front. */
export function createMemory(limits: MemoryLimits): Memory {
  const sessions = new Map<string, Kept>();
  let total = 0;

  const account = (kept: Kept, bytes: number) => {
    kept.bytes += bytes;
    total += bytes;
  };
  const dropEntry = (kept: Kept, marker: string) => {
    account(kept, -(kept.entries.get(marker)?.bytes ?? 0));
    kept.entries.delete(marker);
  };
  const dropSession = (session: string) => {
    total -= sessions.get(session)?.bytes ?? 0;
    sessions.delete(session);
  };
  const use = (session: string, kept: Kept) => {
    sessions.delete(session);
    sessions.set(session, kept);
  };

  const remember: Memory["remember"] = (session, server, marker, original) => {
    if (cost(original) > limits.bytesPerSession) return;
    const kept = sessions.get(session) ?? { entries: new Map<string, Entry>(), bytes: 0 };
    use(session, kept);
    const known = kept.entries.get(marker);
    const entry = known ?? { original: detached(original), servers: new Set<string>(), bytes: 0 };
    if (!known) account(kept, grow(entry, ENTRY_ALLOWANCE + cost(marker) + cost(original)));
    else if (entry.original !== original) entry.original = undefined;
    if (!entry.servers.has(server)) account(kept, grow(entry, cost(server)));
    entry.servers.add(server);
    kept.entries.delete(marker);
    kept.entries.set(marker, entry);
    for (const oldest of kept.entries.keys()) {
      if (kept.entries.size <= limits.entriesPerSession && kept.bytes <= limits.bytesPerSession) break;
      dropEntry(kept, oldest);
    }
    for (const oldest of sessions.keys()) {
      if (sessions.size <= limits.sessions && total <= limits.bytes) break;
      dropSession(oldest);
    }
  };

  const recall: Memory["recall"] = (session, server, marker) => {
    const kept = sessions.get(session);
    const entry = kept?.entries.get(marker);
    if (!kept || !entry?.servers.has(server)) return undefined;
    use(session, kept);
    kept.entries.delete(marker);
    kept.entries.set(marker, entry);
    return entry.original;
  };

  const forgetServer: Memory["forgetServer"] = (server) => {
    for (const kept of sessions.values()) {
      for (const [marker, entry] of kept.entries) {
        if (!entry.servers.delete(server)) continue;
        if (entry.servers.size === 0) dropEntry(kept, marker);
        else account(kept, grow(entry, -cost(server)));
      }
    }
  };

  const size = () => ({
    sessions: sessions.size,
    entries: sessions.values().reduce((sum, { entries }) => sum + entries.size, 0),
    bytes: total,
  });
  return { remember, recall, forget: dropSession, forgetServer, size };
}

/** A copy of its own: a slice would keep the whole text that it was cut from in memory. */
function detached(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

function grow(entry: Entry, bytes: number): number {
  entry.bytes += bytes;
  return bytes;
}
