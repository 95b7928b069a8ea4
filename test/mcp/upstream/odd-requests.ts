/** Requests that a client may or may not send: what both ways of serving a call must answer alike. */
import { call, type JsonObject } from "./serve.ts";

export type HeaderChanges = Readonly<Record<string, string | undefined>>;

/** Calls as they should and should not be. */
export const oddMessages: Readonly<Record<string, JsonObject>> = {
  "a call": call(1, "echo", { text: "x" }),
  "a string id": call("1", "echo"),
  "an empty id": call("", "echo"),
  "id null": call(null, "echo"),
  "a fractional id": call(1.5, "echo"),
  "id true": call(true, "echo"),
  "an object as id": call({}, "echo"),
  "an id beyond 2^53": call(2 ** 53 + 2, "echo"),
  "no id": { jsonrpc: "2.0", method: "tools/call", params: { name: "echo" } },
  "no arguments": { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } },
  "arguments null": call(1, "echo", null),
  "arguments as a list": call(1, "echo", [1]),
  "arguments as text": call(1, "echo", "x"),
  "an unknown tool": call(1, "no_such_tool"),
  "a number as name": { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 7 } },
  "no name": { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} },
  "no params": { jsonrpc: "2.0", id: 1, method: "tools/call" },
  "params as a list": { jsonrpc: "2.0", id: 1, method: "tools/call", params: [] },
  "an extra member": { ...call(1, "echo"), extra: 1 },
  "an extra parameter": { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: {}, extra: true } },
  "a task parameter": { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: {}, task: { ttl: 5 } } },
  "another version of JSON-RPC": { ...call(1, "echo"), jsonrpc: "1.0" },
  "no version of JSON-RPC": { id: 1, method: "tools/call", params: { name: "echo" } },
  "structured content that is no object": call(1, "list"),
  "a tool that breaks": call(1, "throws"),
  "a result beside the method": { ...call(1, "echo"), result: {} },
};

/** What may stand in `_meta`. */
export const oddMeta: Readonly<Record<string, unknown>> = {
  "an empty _meta": {},
  "trace context": { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  "a progress token": { progressToken: 5 },
  "an odd progress token": { progressToken: {} },
  "progressToken null": { progressToken: null },
  "a related task": { "io.modelcontextprotocol/related-task": { taskId: "t" } },
  "an odd related task": { "io.modelcontextprotocol/related-task": 5 },
  "_meta null": null,
  "_meta as a list": [],
  "_meta as text": "meta",
};

/** A message with that `_meta`, if its params can have one. */
export function withMeta(message: JsonObject, meta: unknown): JsonObject {
  const params = message["params"];
  return typeof params === "object" && params !== null && !Array.isArray(params)
    ? { ...message, params: { ...params, _meta: meta } }
    : message;
}

/** Changes to the headers of a legacy call. */
export const legacyHeaders: Readonly<Record<string, HeaderChanges>> = {
  "no Accept": { accept: undefined },
  "Accept JSON only": { accept: "application/json" },
  "Accept anything": { accept: "*/*" },
  "no Content-Type": { "content-type": undefined },
  "another Content-Type": { "content-type": "text/plain" },
  "Content-Type with charset": { "content-type": "application/json; charset=utf-8" },
  "an old version": { "mcp-protocol-version": "2024-11-05" },
  "an unknown version": { "mcp-protocol-version": "1999-01-01" },
  "a modern version": { "mcp-protocol-version": "2026-07-28" },
  "a version of the future": { "mcp-protocol-version": "2027-01-01" },
  "no session": { "mcp-session-id": undefined },
  "an unknown session": { "mcp-session-id": "unknown" },
  "somebody else's session": { "x-agent": "mallory" },
  "modern headers that do not match": { "mcp-method": "tools/list", "mcp-name": "other" },
};

const info = "io.modelcontextprotocol/clientInfo";
const capabilities = "io.modelcontextprotocol/clientCapabilities";
const version = "io.modelcontextprotocol/protocolVersion";
/** Changes to the envelope of a modern call. */
export const oddEnvelopes: Readonly<Record<string, JsonObject>> = {
  ...(Object.fromEntries(Object.entries(oddMeta).filter(([, meta]) => typeof meta === "object" && !Array.isArray(meta))) as Record<
    string,
    JsonObject
  >),
  "no client info": { [info]: undefined },
  "client info without a version": { [info]: { name: "raw" } },
  "client info with icons": { [info]: { name: "raw", version: "1", icons: [{ src: "https://example.com/i.png" }] } },
  "client info with odd icons": { [info]: { name: "raw", version: "1", icons: 5 } },
  "client info as text": { [info]: "raw" },
  "no capabilities": { [capabilities]: undefined },
  "capabilities null": { [capabilities]: null },
  "an odd capability": { [capabilities]: { elicitation: 5 } },
  "all capabilities": { [capabilities]: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {}, extensions: { "x/y": {} } } },
  "a log level": { "io.modelcontextprotocol/logLevel": "info" },
  "an odd log level": { "io.modelcontextprotocol/logLevel": "loud" },
  "a legacy version": { [version]: "2025-06-18" },
  "a version of the future": { [version]: "2027-01-01" },
  "a number as version": { [version]: 5 },
  "a session name": { "toolcrib/session": "named" },
  "an unusable session name": { "toolcrib/session": "not a name" },
};

/** Changes to the headers of a modern call. */
export const modernChanges: Readonly<Record<string, HeaderChanges>> = {
  "no Accept": { accept: undefined },
  "another Content-Type": { "content-type": "text/plain" },
  "no version": { "mcp-protocol-version": undefined },
  "another version": { "mcp-protocol-version": "2025-06-18" },
  "no method": { "mcp-method": undefined },
  "another method": { "mcp-method": "tools/list" },
  "a method in capitals": { "mcp-method": "TOOLS/CALL" },
  "no name": { "mcp-name": undefined },
  "another name": { "mcp-name": "other" },
  "white space around the name": { "mcp-name": "  echo " },
  "the name in Base64": { "mcp-name": "=?base64?ZWNobw==?=" },
  "another name in Base64": { "mcp-name": "=?base64?b3RoZXI=?=" },
  "no Base64": { "mcp-name": "=?base64?***?=" },
  "a legacy session": { "mcp-session-id": "unknown" },
};

/** Arguments, headers that mirror them, and the status of the answer. */
export const mirrored: Readonly<Record<string, readonly [JsonObject, HeaderChanges, number]>> = {
  "a mirrored parameter": [{ region: "north" }, { "mcp-param-region": "north" }, 200],
  "a mirrored parameter in Base64": [{ region: "nörd" }, { "mcp-param-region": "=?base64?bsO2cmQ=?=" }, 200],
  "a parameter that is not mirrored": [{ region: "north" }, {}, 400],
  "a parameter mirrored wrongly": [{ region: "north" }, { "mcp-param-region": "south" }, 400],
  "a broken mirror": [{ region: "north" }, { "mcp-param-region": "=?base64?*?=" }, 400],
  "a mirror without a parameter": [{}, { "mcp-param-region": "south" }, 200],
  "a parameter of another type": [{ region: 5 }, { "mcp-param-region": "5" }, 200],
};
