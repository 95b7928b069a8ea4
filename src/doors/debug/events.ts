/** `/debug/api/events`: the log itself, page by page. */
import type { Envelope } from "../../../events/envelope.ts";
import type { Reader } from "../../log/reader.ts";
import { answer, type Paging, pagingOf, textOf } from "./answers.ts";
import { type Positioned, scan } from "./scan.ts";

export interface EventFilter {
  readonly stream: string | undefined;
  readonly type: string | undefined;
  readonly call: string | undefined;
}

const OF_TYPE = `select e.position from events e not indexed where e.position > ?1 and e.position <= ?2
  and e.type = (select id from names where name = ?4) order by e.position limit ?3`;
const AT_VERSION = "select position from events where stream = (select id from names where name = ?) and version = ?";
const VERSIONS = "select max(version) as n from events where stream = (select id from names where name = ?)";

/** `?stream=&type=&call=`, each optional. */
export const filterOf = (url: URL): EventFilter => ({
  stream: textOf(url, "stream"),
  type: textOf(url, "type"),
  call: textOf(url, "call"),
});

export const matches = ({ stream, type, call }: EventFilter, event: Envelope): boolean =>
  (stream === undefined || event.stream === stream) &&
  (type === undefined || event.type === type) &&
  (call === undefined || event.call === call);

export async function listEvents(reader: Reader, url: URL, signal: AbortSignal): Promise<Response> {
  const head = reader.head.position;
  const events = await find(reader, filterOf(url), { ...pagingOf(url), head, signal });
  return answer({ events, position: head });
}

/** Takes the narrowest way there is: a call's own range, a stream's own index, else the log by position. */
async function find(
  reader: Reader,
  filter: EventFilter,
  range: Paging & { readonly head: number; readonly signal: AbortSignal },
): Promise<readonly Envelope[]> {
  const { after, limit, head } = range;
  const isIn = (event: Envelope) => event.position > after && event.position <= head && matches(filter, event);
  if (filter.call !== undefined) return reader.eventsOfCall(filter.call).filter(isIn).slice(0, limit);
  if (filter.stream !== undefined) return takeOfStream(reader, filter.stream, after, limit, isIn);
  if (filter.type === undefined) return reader.page({ after, limit }).filter(isIn);
  const found = await scan<Positioned>(reader, OF_TYPE, range, filter.type);
  return found.flatMap(({ position }) => reader.page({ after: position - 1, limit: 1 }));
}

function takeOfStream(reader: Reader, stream: string, after: number, limit: number, isIn: (event: Envelope) => boolean): Envelope[] {
  const taken: Envelope[] = [];
  for (const event of reader.read(stream, versionAt(reader, stream, after))) {
    if (isIn(event)) taken.push(event);
    if (taken.length >= limit) break;
  }
  return taken;
}

/** The stream's last version that is not after `position`: versions and positions rise together. */
function versionAt(reader: Reader, stream: string, position: number): number {
  let low = 0;
  let high = reader.query<{ n: number | null }>(VERSIONS, stream)[0]?.n ?? 0;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((reader.query<Positioned>(AT_VERSION, stream, middle)[0]?.position ?? Number.POSITIVE_INFINITY) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
