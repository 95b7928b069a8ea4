/** Reads the one JSON-RPC message of a POST, with every bound that holds before anything looks inside. */
import { isJsonContentType } from "@modelcontextprotocol/server";
import { errorResponse, HTTP_ERROR, INVALID_REQUEST, PARSE_ERROR } from "./rpc.ts";

export interface Message {
  readonly value: unknown;
  /** The text it was parsed from: `JSON.parse` loses what `findUnsafeInteger` looks for. */
  readonly text: string;
}

/** Strict: a byte that is not UTF-8 would otherwise be replaced silently inside somebody's argument. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads and parses the body of a POST. Answers with the `Response` to give when it is too large (413), no JSON (415, 400) or a batch (400). */
export async function readMessage(request: Request, maxBytes: number): Promise<Message | Response> {
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return errorResponse(415, HTTP_ERROR, "Unsupported Media Type: Content-Type must be application/json");
  }
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(request, maxBytes);
  } catch {
    return errorResponse(400, PARSE_ERROR, "Parse error: the request body could not be read");
  }
  if (bytes === undefined) return errorResponse(413, HTTP_ERROR, `Payload Too Large: the request body must not exceed ${maxBytes} bytes`);
  return parseMessage(bytes) ?? errorResponse(400, PARSE_ERROR, "Parse error: the request body is not valid JSON in UTF-8");
}

/** Undefined when the bytes are no JSON in UTF-8. */
export function parseMessage(bytes: Uint8Array): Message | undefined {
  try {
    const text = utf8.decode(bytes);
    return { value: JSON.parse(text), text };
  } catch {
    return undefined;
  }
}

/** The answer to several messages in one body: every revision we speak either forbids it or lets a server refuse. */
export function refuseBatch(): Response {
  return errorResponse(400, INVALID_REQUEST, "Bad Request: JSON-RPC batches are not supported; send one message per request");
}

/** Undefined when there is more than `maxBytes`; a declared length is believed, an undeclared one is counted while reading. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const declared = request.headers.get("content-length");
  if (declared !== null) return Number(declared) > maxBytes ? undefined : await request.bytes();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}
