/** `list_tool_guides`: which guides there are. */
import { z } from "zod";
import { defineTool, textResult } from "./define.ts";
import { guides } from "./guides/all.ts";

export const listGuides = defineTool({
  name: "list_tool_guides",
  description: "Lists the guides to the tools: how to use them well. Read one with get_tool_guide.",
  input: z.object({}),
  capability: "read",
  run: () => {
    const lines = guides.map(({ name, summary }) => `- ${name}: ${summary}`).sort();
    return textResult(`Available tool guides (${lines.length}):\n${lines.join("\n")}`);
  },
});
