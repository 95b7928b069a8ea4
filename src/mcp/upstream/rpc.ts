/** JSON-RPC answers as HTTP responses, and the error codes the edge gives itself. */
import { isSessionRefusal } from "./backend.ts";
import { isObject, isRequestId } from "./json.ts";

export type RequestId = string | number;

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const HEADER_MISMATCH = -32020;
/** The client has not declared what the answer would need. */
export const MISSING_CAPABILITY = -32021;
/** What the official SDK answers for problems of the HTTP layer. */
export const HTTP_ERROR = -32000;
export const SESSION_NOT_FOUND = -32001;

const JSON_HEADERS = { headers: { "content-type": "application/json" } };

/** A JSON-RPC error as an HTTP response; `id` is null when no single request can be named. */
export function errorResponse(status: number, code: number, message: string, id: RequestId | null = null, data?: unknown): Response {
  const error = data === undefined ? { code, message } : { code, message, data };
  return Response.json({ jsonrpc: "2.0", id, error }, { status });
}

/** The answer to something that broke inside: a refused session may say why, all else is told to `onError` only. */
export function failure(error: unknown, id: RequestId | null, onError: (error: unknown) => void): Response {
  if (isSessionRefusal(error)) return errorResponse(429, HTTP_ERROR, error.message, id);
  onError(error);
  return errorResponse(500, INTERNAL_ERROR, "Internal server error", id);
}

/** A finished JSON-RPC message as an HTTP response. */
export function jsonResponse(text: string, status = 200): Response {
  return new Response(text, status === 200 ? JSON_HEADERS : { ...JSON_HEADERS, status });
}

/** The text of a JSON-RPC result. */
export function resultText(id: RequestId, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`;
}

/** The text of a JSON-RPC error. */
export function errorText(id: RequestId | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } });
}

/** The id to name in an answer: that of a request with a usable one, else null. */
export function echoedId(message: unknown): RequestId | null {
  return isObject(message) && typeof message["method"] === "string" && isRequestId(message["id"]) ? message["id"] : null;
}
