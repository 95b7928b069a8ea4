/** `mcp_get_service_details`: one server, its instructions and the parameters of its tools. */
import { z } from "zod";
import { authorise } from "../../actors/policy/allow.ts";
import { defineTool, errorResult, jsonResult } from "./define.ts";
import { findServer, findTool } from "./names.ts";

const MAX_INSTRUCTIONS = 2000;
const capped = (text: string | undefined): string | null =>
  text === undefined
    ? null
    : text.length <= MAX_INSTRUCTIONS
      ? text
      : `${text.slice(0, MAX_INSTRUCTIONS)} [cut at ${MAX_INSTRUCTIONS} characters]`;

export const serviceDetails = defineTool({
  name: "mcp_get_service_details",
  description: "Describes one MCP server: its instructions and the parameters of its tools, or of the one tool named.",
  input: z.object({
    server_name: z.string().describe("As mcp_list_services gives it."),
    tool_name: z.string().optional().describe("Only this tool."),
  }),
  capability: "read",
  run: ({ server_name, tool_name }, { catalogue, definitionOf, factsOf }) => {
    const server = findServer(catalogue, server_name);
    if ("refusal" in server) return errorResult(server.refusal.reason);
    const only = tool_name === undefined ? undefined : findTool(catalogue, server, tool_name);
    if (only && "refusal" in only) return errorResult(only.refusal.reason);
    const offers = only ? [only] : [...server.offers.values()].filter((offer) => authorise(catalogue, offer.name).allowed);
    const { implementation, instructions } = factsOf(server.name);
    const details = {
      server: {
        name: server.name,
        id: server.id,
        implementationName: implementation?.name ?? null,
        title: implementation?.title ?? null,
        version: implementation?.version ?? null,
        description: null,
        instructions: capped(instructions),
      },
      tools: offers.map(({ tool, hash }) => {
        const definition = definitionOf(hash);
        return {
          name: tool,
          description: definition?.description ?? "",
          parametersSchema: definition?.inputSchema ?? { type: "object", properties: {} },
        };
      }),
      prompts: [],
    };
    return jsonResult(details, details);
  },
});
