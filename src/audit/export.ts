/** The log for auditors: every event with its free values, as lines of JSON. */
import type { Envelope } from "../../events/envelope.ts";
import { BlobReference } from "../../events/payload.ts";
import type { Reader } from "../log/reader.ts";

export interface ExportRequest {
  /** The first and the last position; both belong to the export. */
  readonly from: number;
  readonly to: number;
  /** Only what belongs to this session: its own events, and those of its calls on other streams. Its id. */
  readonly session?: string;
}

const PAGE = 500;

/** The events in order, large values read in. Erased ones are absent. Throws when a blob is missing. */
export function* exportEvents(reader: Reader, { from, to, session }: ExportRequest): Iterable<Envelope> {
  const belongs = session === undefined ? () => true : belongingTo(reader, session);
  for (let after = from - 1; after < to; ) {
    const page = reader.page({ after, limit: Math.min(PAGE, to - after) });
    for (const event of page) {
      if (event.position > to) return;
      if (belongs(event))
        yield BlobReference.safeParse(event.payload).success ? { ...event, payload: reader.payload(event.position) } : event;
    }
    const last = page.at(-1)?.position;
    if (last === undefined) return;
    after = last;
  }
}

function belongingTo(reader: Reader, session: string): (event: Envelope) => boolean {
  const calls = new Set(reader.query<{ call: string }>("select call from calls where session = ?", session).map(({ call }) => call));
  const stream = `session/${session}`;
  return (event) => event.stream === stream || (event.call !== undefined && calls.has(event.call));
}
