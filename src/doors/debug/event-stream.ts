/** `/debug/api/events/stream`: new events as server-sent events. Every client reads pages of the log at its own pace, so nothing is buffered for a slow one. */
import { setImmediate as breathe } from "node:timers/promises";
import type { Envelope } from "../../../events/envelope.ts";
import type { Reader } from "../../log/reader.ts";
import type { Clock } from "../../runtime/timers.ts";
import { badParameter, numberOf, refusal } from "./answers.ts";
import { type EventFilter, filterOf, matches } from "./events.ts";

export interface EventStreamPorts {
  readonly reader: Reader;
  readonly clock: Clock;
  /** Calls back after every commit; returns the unsubscriber. Only a hint: what is new is read from the log. */
  readonly onCommitted: (listener: () => void) => () => void;
  /** Aborted when the program stops: the streams end, so that the door can close. */
  readonly stopping: AbortSignal;
}

const PAGE = 100;
const HEARTBEAT_MS = 5000;
const MAX_CLIENTS = 64;

/** One client's tap: resolves when something may be new, or when it has been quiet for too long. */
interface Tap {
  next(): Promise<void>;
  close(): void;
}

function openTap({ clock, onCommitted }: EventStreamPorts): Tap {
  let isFresh = false;
  let wake = () => {};
  const ring = () => {
    isFresh = true;
    wake();
  };
  const unsubscribe = onCommitted(ring);
  return {
    next: () =>
      new Promise((resolve) => {
        const stop = clock.after(HEARTBEAT_MS, () => wake());
        wake = () => {
          wake = () => {};
          stop();
          isFresh = false;
          resolve();
        };
        if (isFresh) wake();
      }),
    close() {
      unsubscribe();
      wake();
    },
  };
}

/** Where to begin: `?after=`, else the client's `Last-Event-ID`, else now. */
function beginningOf(request: Request, url: URL, head: number): number {
  const resumed = request.headers.get("last-event-id");
  const after = numberOf(url, "after") ?? (resumed !== null && /^\d{1,15}$/.test(resumed) ? Number(resumed) : head);
  if (after > head) throw badParameter(`after: the log ends at position ${head}`);
  return after;
}

const frame = (event: Envelope): string => `id: ${event.position}\ndata: ${JSON.stringify(event)}\n\n`;

/** Makes the route. Ends with its client; at most 64 at once. */
export function createEventStream(ports: EventStreamPorts): (request: Request, url: URL) => Response {
  const { reader, clock, stopping } = ports;
  let clients = 0;

  const open = (after: number, filter: EventFilter): ReadableStream<Uint8Array> => {
    const encoder = new TextEncoder();
    const tap = openTap(ports);
    let last = after;
    let isOpen = true;
    let spokeAt = clock.now();
    clients++;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      clients--;
      stopping.removeEventListener("abort", end);
      tap.close();
    };
    stopping.addEventListener("abort", end);
    /** The next thing to say, or undefined when the client has gone. */
    const next = async (): Promise<string | undefined> => {
      while (isOpen) {
        const page = reader.page({ after: last, limit: PAGE });
        last = page.at(-1)?.position ?? last;
        const text = page
          .filter((event) => matches(filter, event))
          .map(frame)
          .join("");
        if (text !== "") return text;
        if (clock.now() - spokeAt >= HEARTBEAT_MS) return `: at position ${last}\n\n`;
        if (page.length > 0) await breathe();
        else await tap.next();
      }
      return undefined;
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(encoder.encode(`: after position ${after}\n\n`)),
        async pull(controller) {
          try {
            const text = await next();
            if (text === undefined) return stopping.aborted ? controller.close() : undefined; // a client that left has closed it
            spokeAt = clock.now();
            controller.enqueue(encoder.encode(text));
          } catch (error) {
            end();
            controller.error(error);
          }
        },
        cancel: end,
      },
      { highWaterMark: 1 },
    );
  };

  return (request, url) => {
    const head = reader.head.position;
    const after = beginningOf(request, url, head);
    if (clients >= MAX_CLIENTS) throw refusal(429, "rate_limited", `${MAX_CLIENTS} clients follow the log already; end one of them.`);
    return new Response(open(after, filterOf(url)), {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
    });
  };
}
