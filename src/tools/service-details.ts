/** `mcp_get_service_details`: one server, its instructions and the parameters of its tools, which join the session's list. */
import { z } from "zod";
import { type Offer, promptsOf, type ServerEntry, toolsOf } from "../../actors/catalogue.ts";
import { mayReach, modeOf } from "../../actors/policy/allow.ts";
import { showInvisible } from "../../actors/visible-text.ts";
import type { PromptDefinition } from "../mcp/downstream/definitions.ts";
import { shownTexts } from "../mcp/shown-texts.ts";
import { defineTool, errorResult, jsonResult, type ToolContext } from "./define.ts";
import { capInstructions, DETAILS_CAP, isGuideLike } from "./instructions.ts";
import { findServer, findTool } from "./names.ts";

function aboutServer(server: ServerEntry, tools: readonly Offer[], { factsOf, catalogue, profile }: ToolContext) {
  const { implementation, instructions } = factsOf(server.name);
  const isOff = modeOf(catalogue, profile) === "off";
  const guides = tools
    .filter(({ tool }) => isGuideLike(tool))
    .map(({ name, tool }) => (isOff ? `"${tool}" (through mcp_invoke_tool)` : `\`${name}\``));
  return {
    name: server.name,
    id: server.id,
    implementationName: implementation?.name ?? null,
    title: implementation?.title ?? null,
    version: implementation?.version ?? null,
    description: implementation?.description ?? null,
    instructions: instructions === undefined ? null : capInstructions(instructions, DETAILS_CAP, guides),
  };
}

const aboutTool = (offer: Offer, { published, definitionOf }: ToolContext) => ({
  name: offer.tool,
  description: showInvisible(definitionOf(offer.hash)?.description ?? ""),
  parametersSchema: published(offer)?.inputSchema ?? { type: "object", properties: {} },
});

function aboutPrompt({ tool, name, hash }: Offer, hasTypedNames: boolean, { documentOf }: ToolContext) {
  const prompt = shownTexts(documentOf(hash) as PromptDefinition | undefined);
  return {
    name: tool,
    description: prompt?.description ?? "",
    arguments: (prompt?.arguments ?? []).map((one) => ({
      name: one.name,
      description: one.description ?? "",
      required: one.required === true,
    })),
    ...(hasTypedNames && { typedName: name }),
  };
}

function trailers(server: ServerEntry, joined: readonly string[]): string[] {
  const count = (server.resources?.resources ?? 0) + (server.resources?.templates ?? 0);
  return [
    ...(count > 0
      ? [`This server also offers ${count} resource(s): list them with mcp_list_resources, read one with mcp_read_resource.`]
      : []),
    ...(joined.length > 0 ? [`Now callable by name: ${joined.join(", ")}. Prefer these names to mcp_invoke_tool.`] : []),
  ];
}

export const serviceDetails = defineTool({
  name: "mcp_get_service_details",
  description: "Describes one MCP server: its instructions and the parameters of its tools, or of the one tool named.",
  input: z.looseObject({
    server_name: z.string().describe("As mcp_list_services gives it."),
    tool_name: z.string().optional().describe("Only this tool."),
  }),
  capability: "read",
  run: async ({ server_name, tool_name }, context) => {
    const { catalogue, profile, scope, shown, activate } = context;
    const server = findServer(context, server_name);
    if ("refusal" in server) return errorResult(server.refusal.reason);
    const only = tool_name === undefined ? undefined : findTool(context, server, tool_name);
    if (only && "refusal" in only) return errorResult(only.refusal.reason);
    const isAllowed = (offer: Offer) => mayReach(catalogue, offer, scope);
    const tools = toolsOf(server).filter(isAllowed);
    const offers = only ? [only] : tools;
    const before = new Set(shown().map(({ name }) => name));
    await activate(offers.map(({ name }) => name));
    const joined = shown()
      .map(({ name }) => name)
      .filter((name) => !before.has(name));
    const mode = modeOf(catalogue, profile);
    const prompts = promptsOf(server).filter(isAllowed);
    const details = {
      server: aboutServer(server, tools, context),
      tools: offers.map((offer) => aboutTool(offer, context)),
      prompts: prompts.map((offer) => aboutPrompt(offer, mode === "lazy" || mode === "pinned", context)),
    };
    return jsonResult(details, details, ...trailers(server, joined));
  },
});
