/** The same tools for agent loops without MCP: `GET /v1/tools`, `POST /v1/tools/{name}/call`; and what was said around them (see turns.ts). */
import { z } from "zod";
import { answerOf } from "../calls/answer.ts";
import type { Ask } from "../calls/ask.ts";
import type { CallViews } from "../calls/views.ts";
import { isSessionRefusal, type Principal, type Session } from "../mcp/upstream/backend.ts";
import { findUnsafeInteger } from "../observe/bounds.ts";
import { DEPTH_HEADER } from "../observe/hook-depth.ts";
import type { Vault } from "../secrets/vault.ts";
import { callerOf } from "./caller.ts";
import type { Sessions } from "./sessions.ts";
import { formatTools, type ToolFormat } from "./tool-formats.ts";
import type { ToolLists } from "./tool-lists.ts";
import { type RecordTurn, recordTurn, type TurnPorts } from "./turns.ts";

export interface RestPorts extends Pick<TurnPorts, "runtime"> {
  readonly ask: Ask;
  readonly sessions: Sessions;
  readonly views: CallViews;
  readonly vault: Pick<Vault, "redactText">;
  readonly lists: Pick<ToolLists, "of">;
  readonly position: () => number;
}
export interface Rest {
  tools(url: URL, principal: Principal): Promise<Response>;
  call(name: string, request: Request, principal: Principal): Promise<Response>;
  readonly turn: RecordTurn;
}

/** A byte order mark is no JSON, and neither are bytes that are no UTF-8. */
const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const SESSION_NAME = /^[A-Za-z0-9._:-]{1,128}$/;
type Arguments = Readonly<Record<string, unknown>>;
const isArguments = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const Body = z.strictObject({
  // Taken as it is: a copy would cost a second for a large one, and lose a member called __proto__.
  arguments: z.custom<Arguments>(isArguments, "an object is expected").default({}),
  session: z.string().regex(SESSION_NAME, "a session name has 1 to 128 of A-Z a-z 0-9 . _ : -").optional(),
  idempotencyKey: z.string().min(1).max(255).optional(),
  timeoutMs: z.int().min(1).optional(),
});

const failure = (status: number, code: string, message: string): Response =>
  Response.json({ error: { code, message, certainty: "not_applied", retryable: false } }, { status });

/** Sessions are looked through so often (seconds). */
const SESSIONS_RETRY_S = 60;

/** The session, or the answer that says why there is none. */
const orRefusal = (opening: Promise<Session>): Promise<Session | Response> =>
  opening.catch((error: unknown) => {
    if (!isSessionRefusal(error)) throw error;
    const told = { code: "rate_limited", message: error.message, certainty: "not_applied", retryable: true };
    const retryAfterMs = SESSIONS_RETRY_S * 1000;
    return Response.json({ error: { ...told, retryAfterMs } }, { status: 429, headers: { "retry-after": String(SESSIONS_RETRY_S) } });
  });

export function createRest({ runtime, ask, sessions, views, vault, lists, position }: RestPorts): Rest {
  const sessionOf = (principal: Principal, name = "rest"): Promise<Session | Response> =>
    orRefusal(sessions.open({ principal, name, client: "rest", era: "rest" }));
  return {
    turn: recordTurn({ runtime, views, vault, sessions, position }),
    async tools(url, principal) {
      const name = url.searchParams.get("session") ?? undefined;
      if (name !== undefined && !SESSION_NAME.test(name))
        return failure(400, "invalid_arguments", "session: 1 to 128 of A-Z a-z 0-9 . _ : -");
      const format = url.searchParams.get("format") ?? "mcp";
      if (format !== "mcp" && format !== "openai" && format !== "anthropic")
        return failure(400, "invalid_arguments", "format: one of mcp, openai, anthropic");
      const session = await sessionOf(principal, name);
      if (session instanceof Response) return session;
      return Response.json({ tools: formatTools(lists.of(session.id), format satisfies ToolFormat), position: position() });
    },
    async call(name, request, principal) {
      let text: string;
      let json: unknown;
      try {
        text = STRICT_UTF8.decode(await request.bytes());
        json = text === "" ? {} : JSON.parse(text);
      } catch {
        return failure(400, "invalid_arguments", 'The body is not JSON. Send {"arguments": {...}}.');
      }
      const body = Body.safeParse(json);
      if (!body.success)
        return failure(
          400,
          "invalid_arguments",
          vault.redactText(body.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ")),
        );
      const { arguments: args, idempotencyKey, timeoutMs } = body.data;
      const session = await sessionOf(principal, body.data.session);
      if (session instanceof Response) return session;
      const led = request.headers.get(DEPTH_HEADER);
      const unsafe = findUnsafeInteger(text);
      const end = await ask({
        ...callerOf(session),
        name,
        arguments: args,
        signal: request.signal,
        ...(led !== null && { led }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(unsafe !== undefined && {
          refusal: {
            code: "invalid_arguments",
            rule: "unsafe-integer",
            reason: `the integer ${unsafe} is beyond 2^53; send it as a string`,
          } as const,
        }),
      });
      const { result, error, status = 500, notices } = answerOf(end, name, views);
      if (error) {
        const headers: Record<string, string> = error.retryAfterMs ? { "retry-after": String(Math.ceil(error.retryAfterMs / 1000)) } : {};
        return Response.json({ error, ...(notices.length > 0 && { notices }) }, { status, headers });
      }
      const content = [...notices.map((notice) => ({ type: "text", text: notice })), ...contentOf(result)];
      return Response.json({ callId: end.call, isError: false, ...result, content });
    },
  };
}

const contentOf = (result: Readonly<Record<string, unknown>> | undefined): readonly unknown[] =>
  Array.isArray(result?.["content"]) ? result["content"] : [];
