/** An SSE response that is written to later: the long form of an answer, and the stream of a session's notifications. */

export interface EventStream {
  readonly response: Response;
  /** Writes one JSON-RPC message (its text). Nothing happens when the stream is closed. */
  send(text: string): void;
  end(): void;
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "x-accel-buffering": "no",
};
const encoder = new TextEncoder();

/** Opens a stream with a comment every `keepAliveMs`, so that nobody on the way takes it for dead. `onCancel`: the reader is gone. */
export function openEventStream(keepAliveMs: number, onCancel: () => void): EventStream {
  let sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  const write = (frame: string) => {
    try {
      sink?.enqueue(encoder.encode(frame));
    } catch {
      close(); // The reader went away between two writes.
    }
  };
  const timer = setInterval(() => write(": keepalive\n\n"), keepAliveMs);
  timer.unref();
  const close = () => {
    clearInterval(timer);
    sink = undefined;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      sink = controller;
      write(": open\n\n"); // Headers leave the house with the first byte only.
    },
    cancel() {
      close();
      onCancel();
    },
  });
  return {
    response: new Response(body, { headers: HEADERS }),
    send: (text) => write(`event: message\ndata: ${text}\n\n`),
    end() {
      const open = sink;
      close();
      try {
        open?.close();
      } catch {
        // Already closed by the reader.
      }
    },
  };
}

/** An SSE response that ends at once: the answer to a request whose sender does not want one any more. */
export function emptyEventStream(): Response {
  return new Response("", { headers: HEADERS });
}

/**
 * Passes an answer on; if it takes longer than `afterMs`, opens an SSE stream in the meantime and writes the answer there.
 * Whoever makes the answer learns from the request's own signal that the reader is gone.
 */
export function streamWhenLate(
  pending: Promise<Response>,
  times: { readonly afterMs: number; readonly keepAliveMs: number },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let stream: EventStream | undefined;
    const timer = setTimeout(() => {
      stream = openEventStream(times.keepAliveMs, () => undefined);
      resolve(stream.response);
    }, times.afterMs);
    pending.then(
      (answer) => {
        clearTimeout(timer);
        if (stream === undefined) resolve(answer);
        else pour(answer, stream).catch(() => undefined); // Its source broke off: the stream has ended, nobody to tell.
      },
      (error) => {
        clearTimeout(timer);
        stream?.end();
        reject(error);
      },
    );
  });
}

/** Writes an answer that came late: a JSON message as one event, a stream message by message as it comes. */
async function pour(answer: Response, stream: EventStream): Promise<void> {
  try {
    if (answer.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
      const text = await answer.text();
      if (text !== "") stream.send(text);
      return;
    }
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const data = frame.split("\n").find((line) => line.startsWith("data: "));
        if (data !== undefined) stream.send(data.slice(6));
      }
    }
  } finally {
    stream.end();
  }
}
