/** `mcp_find_tools`: searches every tool and prompt the session may call, and brings what it finds into the session's list. */
import { z } from "zod";
import { serverOf } from "../../actors/catalogue.ts";
import { defineTool, errorResult, type FoundTool, jsonResult, type ToolContext } from "./define.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 25;

const limitOf = (given: number | string | undefined): number => {
  const limit = Math.trunc(Number(given ?? DEFAULT_LIMIT));
  return Number.isNaN(limit) ? DEFAULT_LIMIT : Math.min(MAX_LIMIT, Math.max(1, limit));
};

function describe({ offer }: FoundTool, { catalogue, published }: ToolContext, activated: boolean) {
  const { name, server, tool, kind } = offer;
  const definition = published(offer);
  return {
    name,
    server,
    serverId: serverOf(catalogue, server)?.id ?? "",
    [kind ?? "tool"]: tool,
    description: definition?.description ?? "",
    inputSchema: definition?.inputSchema ?? { type: "object", properties: {} },
    activated,
  };
}

export const findTools = defineTool({
  name: "mcp_find_tools",
  description:
    "Searches the tools of every connected MCP server by what you want to do. What it finds becomes callable by its name at once. " +
    "Use it whenever no tool in your list fits.",
  input: z.looseObject({
    query: z.unknown().optional().describe("What you want to do, in plain words, or a part of a tool's name."),
    limit: z
      .union([z.number(), z.string()])
      .optional()
      .describe(`How many tools at most: 1 to ${MAX_LIMIT}, ${DEFAULT_LIMIT} if left out.`),
  }),
  capability: "read",
  run: async ({ query, limit }, context) => {
    const text = typeof query === "string" ? query.trim() : "";
    if (text === "") return errorResult("Missing required parameter: query. Say in a few words what you want to do.");
    const index = context.search();
    const most = limitOf(limit);
    const ranked = index.search(text, most * 4).map(({ document }) => document);
    const found = ranked.filter(({ offer }) => offer.kind === undefined).slice(0, most);
    const prompts = ranked.filter(({ offer }) => offer.kind === "prompt").slice(0, most);
    await context.activate([...found, ...prompts].map(({ name }) => name));
    const listed = new Set(context.shown().map(({ name }) => name));
    const rows = (documents: readonly FoundTool[]) => documents.map((one) => describe(one, context, listed.has(one.name)));
    const answer = {
      query: text,
      tools: rows(found),
      ...(prompts.length > 0 && { prompts: rows(prompts) }),
      note: noteOf([...found, ...prompts].map(({ name }) => listed.has(name))),
    };
    return jsonResult(answer, answer);
  },
});

function noteOf(activated: readonly boolean[]): string {
  if (activated.length === 0) return "Nothing matches. Try other words, or mcp_list_services for an overview.";
  if (activated.every(Boolean)) return "These tools are callable now by their name.";
  return "Tools with activated = false have no room in your list: call them by their name all the same, or through mcp_invoke_tool.";
}
