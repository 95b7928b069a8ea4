/** `toolcrib events`: the log, event by event. */
import { type Command, InvalidArgumentError } from "commander";
import type { Envelope } from "../../events/envelope.ts";
import type { PageRequest, Reader } from "../log/reader.ts";
import type { DataFlag } from "./data-folder.ts";
import { eventLine } from "./event-line.ts";
import { complain } from "./exit.ts";
import { jsonText, written } from "./print.ts";
import { reading } from "./reading.ts";

interface EventsFlags extends DataFlag {
  readonly follow?: true;
  readonly after?: number;
  readonly limit?: number;
  readonly stream?: string;
  readonly type?: string;
  readonly call?: string;
  readonly json?: true;
}

const PAGE = 500;
const POLL_MS = 200;

export function eventsVerb(program: Command): void {
  program
    .command("events")
    .description("read the log, oldest first")
    .option("--follow", "go on with new events until it is stopped")
    .option("--after <position>", "only events after this position; -20 means the newest 20 positions", integer)
    .option("--limit <n>", "at most so many", atLeastOne)
    .option("--stream <name>", "only of this stream, such as session/s_… or server/mail")
    .option("--type <type>", "only of this type, such as call.dispatched")
    .option("--call <id>", "only of this call")
    .option("--data <dir>", "data folder")
    .option("--json", "as JSON Lines")
    .action(events);
}

async function events({ follow, after = 0, limit = Number.POSITIVE_INFINITY, json, data, ...filter }: EventsFlags): Promise<void> {
  await reading({ ...(data !== undefined && { data }) }, async (reader) => {
    const line = json ? (event: Envelope) => jsonText(event) : (event: Envelope) => eventLine(event);
    let from = after < 0 ? Math.max(0, reader.head.position + after) : after;
    let left = limit;
    let isEmpty = true;
    for (;;) {
      const page = nextPage(reader, { ...filter, after: from, limit: Math.min(left, PAGE) });
      if (page.events.length > 0) await written(page.events.map(line));
      isEmpty &&= page.events.length === 0;
      left -= page.events.length;
      from = page.upTo;
      if (left <= 0) return;
      if (page.isFull) continue;
      if (!follow) return void (isEmpty && !json && complain("no event fits"));
      await Bun.sleep(POLL_MS);
    }
  });
}

/** `upTo`: where the next page begins, also when nothing was found, so that a search is not repeated. */
function nextPage(reader: Reader, request: PageRequest): { events: Envelope[]; upTo: number; isFull: boolean } {
  const head = reader.head.position; // before the page: what comes in between is found by the next one
  const found = reader.page(request);
  const isFull = found.length >= request.limit;
  return {
    events: found,
    upTo: isFull ? (found.at(-1)?.position ?? head) : Math.max(request.after, head, found.at(-1)?.position ?? 0),
    isFull,
  };
}

function integer(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError("a whole number is needed.");
  return Number(text);
}

function atLeastOne(text: string): number {
  const value = integer(text);
  if (value < 1) throw new InvalidArgumentError("at least 1.");
  return value;
}
