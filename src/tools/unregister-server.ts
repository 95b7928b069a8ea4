/** `mcp_unregister_server`: removes a server that this agent has registered. */
import { z } from "zod";
import { defineTool, errorResult, textResult } from "./define.ts";

export const unregisterServer = defineTool({
  name: "mcp_unregister_server",
  description: "Removes an MCP server that you have registered with mcp_register_server. The operator's servers stay.",
  input: z.looseObject({ server_name: z.string().describe("As mcp_list_services gives it.") }),
  capability: "idempotent",
  run: async ({ server_name }, { unregister, agent }) => {
    const { ok, text } = await unregister(server_name.trim(), agent);
    return ok ? textResult(text) : errorResult(text);
  },
});
