/** Turns a JSON-RPC answer, or the failure to get one, into a `CallOutcome`. */
import { InsufficientScopeError, SdkHttpError, SERVER_INFO_META_KEY } from "@modelcontextprotocol/client";
import { authorizationRequired, insufficientGrant } from "./authorization.ts";
import type { CallOutcome } from "./downstream.ts";
import { isObject } from "./json.ts";

export const INTERNAL_ERROR = -32603;

/** A request that failed in the transport. `status` is the HTTP status, when there was one. */
export interface Failure {
  readonly outcome: CallOutcome;
  readonly status?: number | undefined;
}

/** Thrown by our own fetch for an HTTP status that is not a success. */
export class HttpStatusError extends Error {
  readonly status: number;
  readonly body: string;
  constructor(status: number, body: string) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** It may have been carried out; no answer will come. */
export function lost(reason: string, status?: number): CallOutcome {
  return { kind: "lost", reason, ...(status === undefined ? {} : { status }) };
}

/** There is an answer that nobody can read; `reason` says why in our own words. */
export const unread = (reason: string): CallOutcome => ({ kind: "lost", reason, isUnread: true });

/** The outcome that a JSON-RPC response with the right id stands for. An answer that does not end the request is an error here. */
export function answered(message: Readonly<Record<string, unknown>>, era: "legacy" | "modern"): CallOutcome {
  const { result, error } = message;
  if (isObject(error)) {
    const { code, message: text, data } = error;
    return {
      kind: "rpc_error",
      code: typeof code === "number" ? code : INTERNAL_ERROR,
      message: typeof text === "string" ? text : "The server answered with an error without a message",
      ...(data === undefined ? {} : { data }),
    };
  }
  if (!isObject(result)) return unread("it has neither a result nor an error");
  const fault = faultOfKind(result["resultType"], era);
  if (fault !== undefined) return { kind: "rpc_error", code: INTERNAL_ERROR, message: `${fault} Nothing more was sent to it.` };
  return { kind: "result", result: withoutHop(result) };
}

/** Why a result is none. Older servers know no such discriminator: there, only the two that would pass for an empty result count. */
function faultOfKind(type: unknown, era: "legacy" | "modern"): string | undefined {
  if (type === undefined || type === "complete") return undefined;
  if (type === "input_required") return "The server asks a question instead of answering, though it was not told that it can.";
  if (type === "task") return "The server starts a task instead of answering, though it was not told that it can.";
  return era === "modern" ? "The server's answer is of a kind that is not known here." : undefined;
}

/** Without what a modern server says about this exchange instead of the result: the next hop has a name and a discriminator of its own. */
function withoutHop(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const meta = result["_meta"];
  const isNamed = isObject(meta) && SERVER_INFO_META_KEY in meta;
  if (!isNamed && result["resultType"] === undefined) return result;
  const { resultType: _, _meta, ...rest } = result;
  if (!isNamed) return _meta === undefined ? rest : { ...rest, _meta };
  const { [SERVER_INFO_META_KEY]: __, ...own } = meta;
  return Object.keys(own).length > 0 ? { ...rest, _meta: own } : rest;
}

/** The outcome of a request whose sending failed. An HTTP error whose body is the JSON-RPC answer to `id` is that answer. */
export function failed(error: unknown, id: number): Failure {
  const http = httpFailure(error);
  if (http !== undefined) {
    const answer = answerIn(http.body, id);
    if (answer !== undefined) return { outcome: answered(answer, "modern"), status: undefined };
    const reason = `the server answered with HTTP ${http.status}`;
    return { outcome: { kind: http.status < 500 ? "not_sent" : "lost", reason, status: http.status }, status: http.status };
  }
  const authorization = authorizationRequired(error);
  if (authorization !== undefined) return { outcome: { kind: "not_sent", reason: authorization, authorization: true } };
  const insufficient = insufficientGrant(error);
  if (insufficient !== undefined)
    return { outcome: { kind: "not_sent", reason: insufficient, status: 403, authorization: true }, status: 403 };
  const never = whyNeverSent(error);
  return { outcome: never === undefined ? lost(describeFailure(error)) : { kind: "not_sent", reason: never } };
}

/** Thrown by our own transports when not a byte of the request has left. */
export class NotSentError extends Error {}

/** The status and body of an HTTP failure, whoever reported it. */
export function httpFailure(error: unknown): { readonly status: number; readonly body: string } | undefined {
  if (error instanceof HttpStatusError) return { status: error.status, body: error.body };
  if (error instanceof InsufficientScopeError) return { status: 403, body: "" };
  if (error instanceof SdkHttpError)
    return { status: error.data.status, body: typeof error.data["text"] === "string" ? error.data["text"] : "" };
  return undefined;
}

/** Failures before the request could be written: no name, no route, nobody listening, no TLS. */
const NEVER_SENT = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ConnectionRefused", "connection refused"],
  ["FailedToOpenSocket", "no connection"],
  ["ENOTFOUND", "no such host"],
  ["EAI_AGAIN", "the host name could not be looked up"],
  ["EHOSTUNREACH", "the host cannot be reached"],
  ["ENETUNREACH", "the network cannot be reached"],
  ["EPROTO", "the TLS handshake failed"],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate chain is self-signed"],
  ["UNABLE_TO_GET_ISSUER_CERT", "its certificate's issuer is not known"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "its certificate's issuer is not known"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate cannot be verified"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another host"],
]);

/** Why a request cannot have reached the server, in words; undefined when it may have. */
function whyNeverSent(error: unknown): string | undefined {
  if (error instanceof NotSentError) return error.message;
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string" && NEVER_SENT.has(at.code)) return NEVER_SENT.get(at.code);
  }
  return undefined;
}

/** A failure in words: what the network says when it says something, else the error's own text. */
export function describeFailure(error: unknown): string {
  const status = httpFailure(error)?.status;
  if (status !== undefined) return `HTTP ${status}`;
  return whyNeverSent(error) ?? (error instanceof Error ? error.message : String(error));
}

function answerIn(body: string, id: number): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) && value["id"] === id && isObject(value["error"]) ? value : undefined;
  } catch {
    return undefined;
  }
}
