/** `mcp_invoke_tool`: calls a tool by server and name. It is unwrapped before the turn, so that one call is one call. */
import { z } from "zod";
import { defineTool, refuse } from "./define.ts";
import { findServer, findTool } from "./names.ts";

const RESERVED = new Set(["server_name", "tool_name", "arguments", "params", "args"]);
type Arguments = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Arguments => typeof value === "object" && value !== null && !Array.isArray(value);

/** Models wrap arguments in several ways: under one of three keys, as a JSON string, or not at all. Undefined: unusable. */
function innerArguments(input: Arguments): Arguments | undefined {
  const given = input["arguments"] ?? input["params"] ?? input["args"];
  if (given === undefined || given === null)
    return Object.fromEntries(Object.entries(input).filter(([key]) => !RESERVED.has(key.toLowerCase())));
  if (isRecord(given)) return given;
  if (typeof given !== "string") return undefined;
  try {
    const parsed: unknown = JSON.parse(given);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export const invokeTool = defineTool({
  name: "mcp_invoke_tool",
  description: "Calls a tool of an MCP server by name. Prefer the typed tool {server}__{tool} where it is listed.",
  input: z.looseObject({
    server_name: z.string().describe("As mcp_list_services gives it."),
    tool_name: z.string().describe("The server's own name of the tool."),
    arguments: z.unknown().optional().describe("An object with the tool's arguments."),
  }),
  capability: "mutating",
  unwrap: (input, { catalogue, definitionOf }) => {
    const server = findServer(catalogue, input.server_name);
    if ("refusal" in server) return server;
    const offer = findTool(catalogue, server, input.tool_name);
    if ("refusal" in offer) return offer;
    const args = innerArguments(input);
    if (!args) return refuse("invalid_arguments", '"arguments" must be an object, or a JSON string that holds one');
    const required = definitionOf(offer.hash)?.inputSchema["required"];
    if (Object.keys(args).length === 0 && Array.isArray(required) && required.length > 0) {
      const example = JSON.stringify(Object.fromEntries(required.map((key) => [key, "…"])));
      return refuse("invalid_arguments", `${offer.tool} needs ${required.join(", ")}; put them under "arguments": ${example}`);
    }
    return { name: offer.name, arguments: args, via: "invoke_tool" };
  },
});
