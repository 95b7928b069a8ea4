/** `mcp_register_server`: adds a server that speaks HTTP, never a command. */
import { z } from "zod";
import { defineTool, errorResult, textResult } from "./define.ts";

export const registerServer = defineTool({
  name: "mcp_register_server",
  description:
    "Registers an MCP server by its http or https address, so that its tools can be used from now on. Only new names and addresses.",
  input: z.looseObject({
    name: z.string().describe("A new name: letters, digits, _ . - ; it becomes the first part of the names of its tools."),
    type: z.enum(["http", "sse"]).default("http").describe("sse only for a server of the older transport."),
    url: z.string().max(4096).describe("The address of its MCP endpoint."),
  }),
  capability: "idempotent",
  run: async ({ name, type, url }, { register, agent }) => {
    const { ok, text } = await register({ name: name.trim(), owner: agent, transport: type, url });
    return ok ? textResult(text) : errorResult(text);
  },
});
