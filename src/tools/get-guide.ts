/** `get_tool_guide`: one guide, made from what is configured now. */
import { z } from "zod";
import { defineTool, textResult } from "./define.ts";
import { guides } from "./guides/all.ts";
import { subjectOf } from "./guides/guide.ts";

export const getGuide = defineTool({
  name: "get_tool_guide",
  description: "Reads one guide to the tools, by the name that list_tool_guides gives.",
  input: z.object({ name: z.string().describe("As list_tool_guides gives it.") }),
  capability: "read",
  run: ({ name }, { catalogue, scope }) => {
    const guide = guides.find((one) => one.name === name.trim().toLowerCase());
    if (guide) return textResult(guide.document(subjectOf(catalogue, scope)));
    const names = guides.map((one) => one.name).sort();
    return textResult(`There is no guide "${name}". There are: ${names.join(", ")}.`);
  },
});
