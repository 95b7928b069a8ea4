/** `mcp_list_resources`: what can be read from a server, from its last known lists. */
import { z } from "zod";
import type { ResourceDefinition, ResourceList, TemplateDefinition } from "../mcp/downstream/definitions.ts";
import { defineTool, errorResult, jsonResult, textResult } from "./define.ts";
import { findServer } from "./names.ts";

const described = ({ name, title, description, mimeType }: ResourceDefinition | TemplateDefinition) => ({
  name,
  ...(title != null && { title }),
  ...(description != null && { description }),
  ...(mimeType != null && { mimeType }),
});

export const listResources = defineTool({
  name: "mcp_list_resources",
  description: "Lists the resources and resource templates of one MCP server. Read one with mcp_read_resource.",
  input: z.object({ server_name: z.string().describe("As mcp_list_services gives it.") }),
  capability: "read",
  run: ({ server_name }, context) => {
    const server = findServer(context, server_name);
    if ("refusal" in server) return errorResult(server.refusal.reason);
    const list = server.resources && (context.documentOf(server.resources.hash) as ResourceList | undefined);
    if (!list || list.resources.length + list.templates.length === 0)
      return textResult(`The server "${server.name}" offers no resources.`, { server: server.name, resources: [], templates: [] });
    const answer = {
      server: server.name,
      resources: list.resources.map((one) => ({ uri: one.uri, ...described(one), ...(one.size != null && { size: one.size }) })),
      templates: list.templates.map((one) => ({ uriTemplate: one.uriTemplate, ...described(one) })),
    };
    return jsonResult(answer, answer);
  },
});
