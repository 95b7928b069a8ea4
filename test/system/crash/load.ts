/** The client: many calls in flight over both doors, and its own record of every answer it got. */
import type { Random } from "./random.ts";

/** What the client was told before the kill. */
export interface Acknowledged {
  readonly key: string;
  readonly certainty: string;
  /** Absent where the door does not tell it (a tool's own result over MCP). */
  readonly call?: string;
  readonly code?: string;
  /** What the tool said: the last text block. */
  readonly text?: string;
}

export interface Client {
  readonly acknowledged: readonly Acknowledged[];
  /** Answers that are none: neither a result nor an error object of ours. */
  readonly strange: readonly string[];
  /** Calls until the gateway is gone. Resolves when nothing is in flight any more. */
  run(url: string): Promise<void>;
}

const MUTATING = 24;
const READING = 4;
const LARGE = { every: 60, bytes: 20_000 };
const HUGE = { every: 600, bytes: 1_300_000 };

interface Reply {
  readonly isError?: boolean;
  readonly callId?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly error?: { readonly code: string; readonly certainty: string; readonly callId?: string };
  readonly structuredContent?: { readonly error?: { readonly code: string; readonly certainty: string; readonly callId?: string } };
}

/** `name` makes the keys unique; the same client goes on with its MCP session after each restart. */
export function clientOf(name: string, random: Random): Client {
  const acknowledged: Acknowledged[] = [];
  const strange: string[] = [];
  let count = 0;
  let session: string | undefined;

  const note = (key: string, reply: Reply) => {
    const error = reply.error ?? reply.structuredContent?.error;
    const text = reply.content?.at(-1)?.text;
    if (error)
      acknowledged.push({ key, certainty: error.certainty, code: error.code, ...(error.callId !== undefined && { call: error.callId }) });
    else if (reply.content)
      acknowledged.push({
        key,
        certainty: "answered",
        ...(reply.callId !== undefined && { call: reply.callId }),
        ...(text !== undefined && { text }),
      });
    else strange.push(`${key}: ${JSON.stringify(reply).slice(0, 300)}`);
  };

  const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(body),
    });

  const initialize = async (url: string) => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "crash", version: "1" } };
    const response = await post(`${url}/mcp`, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    await response.text();
    session = response.headers.get("mcp-session-id") ?? undefined;
    if (session === undefined) return void strange.push(`initialize: ${response.status}`);
    await post(`${url}/mcp`, { jsonrpc: "2.0", method: "notifications/initialized" }, { "mcp-session-id": session }).then((it) =>
      it.text(),
    );
  };

  const overRest = async (url: string, tool: string, args: Readonly<Record<string, unknown>>) => {
    const response = await post(`${url}/v1/tools/${tool}/call`, { arguments: args, session: name });
    return (await response.json()) as Reply;
  };
  const overMcp = async (url: string, tool: string, args: Readonly<Record<string, unknown>>): Promise<Reply> => {
    const headers = { "mcp-session-id": session ?? "", "mcp-protocol-version": "2025-06-18" };
    const body = { jsonrpc: "2.0", id: count, method: "tools/call", params: { name: tool, arguments: args } };
    const response = await post(`${url}/mcp`, body, headers);
    const text = await response.text();
    if (text === "") throw new Error("the stream ended without an answer");
    const json = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
    return ((JSON.parse(json) as { result?: Reply }).result ?? JSON.parse(json)) as Reply;
  };

  const loop = async (url: string, tool: "act" | "look", ask: typeof overRest) => {
    for (;;) {
      const number = ++count;
      const key = `${name}.${number}`;
      const bytes = number % HUGE.every === 0 ? HUGE.bytes : number % LARGE.every === 0 ? LARGE.bytes : 0;
      const args = { key, ms: random.between(5, 60), ...(bytes > 0 && { bytes }) };
      try {
        note(key, await ask(url, `deed__${tool}`, args));
      } catch {
        return; // the gateway is gone, and nobody knows what became of this call: that is what the log is for
      }
    }
  };

  return {
    acknowledged,
    strange,
    async run(url) {
      try {
        if (session === undefined) await initialize(url);
      } catch {
        return;
      }
      const doors = [overRest, overMcp];
      const loops = Array.from({ length: MUTATING + READING }, (_, index) =>
        loop(url, index < MUTATING ? "act" : "look", doors[index % 2] ?? overRest),
      );
      await Promise.all(loops);
    },
  };
}
