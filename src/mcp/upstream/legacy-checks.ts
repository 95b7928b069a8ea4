/** What a legacy HTTP request must look like, and what is kept of an `initialize`. */
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { isObject, type JsonObject } from "./json.ts";
import { errorResponse, HTTP_ERROR } from "./rpc.ts";
import { clientOf } from "./session-name.ts";

const VERSIONS = new Set(SUPPORTED_PROTOCOL_VERSIONS);

/** True when the header `MCP-Protocol-Version` names a legacy revision, or is absent. */
export function hasLegacyVersion(headers: Headers): boolean {
  const version = headers.get("mcp-protocol-version");
  return version === null || VERSIONS.has(version);
}

/** True when the client takes both forms of an answer, as every POST must. */
export function acceptsBoth(headers: Headers): boolean {
  const accept = headers.get("accept") ?? "";
  return accept.includes("application/json") && accept.includes("text/event-stream");
}

/** The answer to a header `MCP-Protocol-Version` that is not legacy. */
export function unsupportedVersion(headers: Headers): Response {
  const named = headers.get("mcp-protocol-version");
  const message = `Bad Request: Unsupported protocol version: ${named} (supported versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")})`;
  return errorResponse(400, HTTP_ERROR, message);
}

const MAX_KEPT_BYTES = 8_192;

/** What a restart needs of `initialize`. A client that sends more than 8 KiB of it is remembered by the essentials. */
export function initializeToKeep(params: JsonObject): JsonObject {
  if (JSON.stringify(params).length <= MAX_KEPT_BYTES) return params;
  const capabilities = isObject(params["capabilities"]) ? params["capabilities"] : {};
  const names = ["elicitation", "sampling", "roots"].filter((key) => key in capabilities);
  return {
    protocolVersion: String(params["protocolVersion"]).slice(0, 64),
    capabilities: Object.fromEntries(names.map((key) => [key, key === "elicitation" ? modesOf(capabilities[key]) : {}])),
    clientInfo: clientOf(params["clientInfo"]),
  };
}

/** Whether it shows forms, opens addresses, or both. */
function modesOf(elicitation: unknown): JsonObject {
  const declared = isObject(elicitation) ? elicitation : {};
  return Object.fromEntries(["form", "url"].filter((mode) => mode in declared).map((mode) => [mode, {}]));
}
