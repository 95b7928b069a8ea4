/** `mcp_read_resource`: reads a resource of a server. Short texts are told, everything else becomes a file. */
import { z } from "zod";
import type { ResourceList } from "../mcp/downstream/definitions.ts";
import { matchesTemplate } from "../mcp/uri-template.ts";
import { defineTool, errorResult, jsonResult, type ToolContext } from "./define.ts";
import { findServer } from "./names.ts";

const MAX_DECLARED = 50;
const METHOD_NOT_FOUND = -32601;

interface Content {
  readonly uri?: unknown;
  readonly mimeType?: unknown;
  readonly text?: unknown;
  readonly blob?: unknown;
}
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

async function tell(server: string, uri: string, content: Content, { save, inlineTextLimit }: ToolContext) {
  const mime = text(content.mimeType);
  const about = { uri: text(content.uri) ?? uri, ...(mime !== undefined && { mimeType: mime }) };
  const words = text(content.text);
  if (words !== undefined && words.length <= inlineTextLimit) return { ...about, text: words };
  const blob = text(content.blob);
  if (words === undefined && blob === undefined) return { ...about, note: "This kind of content is not supported." };
  const data = words ?? new Uint8Array(Buffer.from(blob ?? "", "base64"));
  const saved = await save({ stem: `${server}-resource`, ...(mime !== undefined && { mime }), data });
  const size = typeof data === "string" ? Buffer.byteLength(data) : data.length;
  if (typeof saved === "string") return { ...about, size, note: `${size} bytes that could not be kept: ${saved}.` };
  const why = words === undefined ? "Binary content" : `A text of ${words.length} characters`;
  return { ...about, path: saved.path, name: saved.name, size: saved.size, mime: saved.mime, note: `${why}, stored in this file.` };
}

/** What the server declares, when it turns down what it never declared. */
function declared({ resources, templates }: ResourceList): string {
  const all = [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)];
  const more = all.length > MAX_DECLARED ? ` and ${all.length - MAX_DECLARED} more` : "";
  return all.length === 0 ? "nothing" : `${all.slice(0, MAX_DECLARED).join(", ")}${more}`;
}

export const readResource = defineTool({
  name: "mcp_read_resource",
  description: "Reads one resource of an MCP server. Long texts and binary content are stored as files and their paths are told.",
  input: z.object({
    server_name: z.string().describe("As mcp_list_services gives it."),
    uri: z.string().min(1).describe("As mcp_list_resources gives it, or made from one of the templates."),
  }),
  capability: "read",
  run: async ({ server_name, uri }, context) => {
    const server = findServer(context, server_name);
    if ("refusal" in server) return errorResult(server.refusal.reason);
    const list = (server.resources && context.documentOf(server.resources.hash)) as ResourceList | undefined;
    const { outcome, note } = await context.request(server.name, { method: "resources/read", params: { uri } });
    if (context.native) return { passed: outcome };
    const notes = note === undefined ? [] : [note];
    if (outcome.kind === "result") {
      const { contents } = outcome.result;
      const told = Array.isArray(contents) ? contents : [];
      const answer = {
        server: server.name,
        uri,
        contents: await Promise.all(told.map((content: Content) => tell(server.name, uri, content, context))),
      };
      return jsonResult(answer, answer, ...notes);
    }
    if (outcome.kind !== "rpc_error") return errorResult(`The server "${server.name}" is not reachable right now; try again later.`);
    if (outcome.code === METHOD_NOT_FOUND) return errorResult(`The server "${server.name}" offers no resources.`);
    const known = list ?? { resources: [], templates: [] };
    const isDeclared =
      known.resources.some((one) => one.uri === uri) || known.templates.some(({ uriTemplate }) => matchesTemplate(uriTemplate, uri));
    if (isDeclared) return errorResult([outcome.message, ...notes].join("\n"));
    const words = `The server "${server.name}" does not declare ${uri}. It declares: ${declared(known)}. It says: ${outcome.message}`;
    return errorResult([words, ...notes].join("\n"));
  },
});
