/** `search_known_services`: which servers can help with something. */
import { z } from "zod";
import { serverOf } from "../../actors/catalogue.ts";
import { defineTool, errorResult, jsonResult } from "./define.ts";

const MAX_SERVICES = 5;

export const searchServices = defineTool({
  name: "search_known_services",
  description: "Names the MCP servers that fit a task best, with the tools of each that fit. Relevance is relative to the best one.",
  input: z.looseObject({ query: z.unknown().optional().describe("What you want to do, in plain words.") }),
  capability: "read",
  run: ({ query }, { search, catalogue, factsOf }) => {
    const text = typeof query === "string" ? query.trim() : "";
    if (text === "") return errorResult("Missing required parameter: query. Say in a few words what you want to do.");
    const results = search()
      .servers(text, MAX_SERVICES)
      .map(({ server, score, tools }) => ({
        id: serverOf(catalogue, server)?.name ?? server,
        type: "mcp",
        summary: factsOf(server).summary,
        relevance_score: score,
        top_tools: tools.map(({ name }) => name),
      }));
    return jsonResult({ results }, { results });
  },
});
