/** The tool list in the forms that model APIs take. */
import type { ToolDefinition } from "../mcp/downstream/definitions.ts";

export type ToolFormat = "mcp" | "openai" | "anthropic";

export function formatTools(tools: readonly ToolDefinition[], format: ToolFormat): readonly unknown[] {
  switch (format) {
    case "mcp":
      return tools;
    case "openai":
      return tools.map(({ name, description = "", inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      }));
    case "anthropic":
      return tools.map(({ name, description = "", inputSchema }) => ({ name, description, input_schema: inputSchema }));
  }
}
