/** `mcp_invoke_tool`: calls a tool by server and name. It is unwrapped before the turn, so that one call is one call. */
import { z } from "zod";
import { missingKeys } from "../calls/parameters.ts";
import { defineTool, refuse } from "./define.ts";
import { innerArguments, unwrappedOnce } from "./inner-arguments.ts";
import { findServer, findTool } from "./names.ts";

/** Of a built-in tool, which cannot be called so: what was to be answered is not written down here either. */
const isAnswer = ({ tool_name }: Readonly<Record<string, unknown>>): boolean =>
  typeof tool_name === "string" && /mcp_answer/i.test(tool_name);

export const invokeTool = defineTool({
  name: "mcp_invoke_tool",
  description: "Calls a tool of an MCP server by name. Prefer the typed tool {server}__{tool} where it is listed.",
  input: z.looseObject({
    server_name: z.string().describe("As mcp_list_services gives it."),
    tool_name: z.string().describe("The server's own name of the tool."),
    arguments: z.unknown().optional().describe("An object with the tool's arguments."),
  }),
  capability: "mutating",
  recorded: (args) => (isAnswer(args) ? { server_name: args["server_name"], tool_name: args["tool_name"] } : args),
  unwrap: (input, context) => {
    const server = findServer(context, input.server_name);
    if ("refusal" in server) return server;
    const offer = findTool(context, server, input.tool_name);
    if ("refusal" in offer) return offer;
    const inner = innerArguments(input);
    if ("refusal" in inner) return inner;
    const schema = context.definitionOf(offer.hash)?.inputSchema ?? {};
    const args = unwrappedOnce(inner.found, offer.tool, schema);
    const missing = Object.keys(args).length === 0 ? missingKeys(schema, args) : [];
    if (missing.length > 0) {
      const example = JSON.stringify(Object.fromEntries(missing.map((key) => [key, "…"])));
      return refuse("invalid_arguments", `${offer.tool} needs ${missing.join(", ")}; put them under "arguments": ${example}`);
    }
    return { name: offer.name, arguments: args, via: "invoke_tool" };
  },
});
