/** `mcp_get_prompt`: a prompt of a server with its arguments filled in. It is unwrapped before the turn, so that one call is one call. */
import { z } from "zod";
import { promptsOf } from "../../actors/catalogue.ts";
import { mayReach } from "../../actors/policy/allow.ts";
import type { PromptDefinition } from "../mcp/downstream/definitions.ts";
import { defineTool, refuse } from "./define.ts";
import { findServer } from "./names.ts";

type Arguments = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Arguments => typeof value === "object" && value !== null && !Array.isArray(value);

const signatureOf = ({ name, arguments: args = [] }: PromptDefinition): string =>
  `${name}(${args.map((one) => `${one.name}${one.required === true ? "" : "?"}`).join(", ")})`;

export const getPrompt = defineTool({
  name: "mcp_get_prompt",
  description: "Fetches a prompt of an MCP server as messages, with its arguments filled in.",
  input: z.looseObject({
    server_name: z.string().describe("As mcp_list_services gives it."),
    prompt_name: z.string().describe("The server's own name of the prompt."),
    arguments: z.unknown().optional().describe("An object; every value is sent as a text."),
  }),
  capability: "read",
  unwrap: (input, context) => {
    const { catalogue, scope, documentOf } = context;
    const server = findServer(context, input.server_name);
    if ("refusal" in server) return server;
    const prompts = promptsOf(server);
    const wanted = input.prompt_name.trim();
    const offer =
      prompts.find(({ tool }) => tool === input.prompt_name || tool === wanted) ??
      prompts.find(({ tool }) => tool.toLowerCase() === wanted.toLowerCase());
    if (!offer) {
      const names = prompts
        .filter((prompt) => mayReach(catalogue, prompt, scope))
        .map(({ tool }) => tool)
        .join(", ");
      return refuse("tool_not_found", `"${server.name}" has no prompt "${wanted}"; its prompts are: ${names === "" ? "none" : names}`);
    }
    // What may not be called is refused at its gate, and nothing of it is told here.
    const isAllowed = mayReach(catalogue, offer, scope);
    const definition = isAllowed ? (documentOf(offer.hash) as PromptDefinition | undefined) : undefined;
    const args = input.arguments ?? {};
    if (!isRecord(args)) return refuse("invalid_arguments", '"arguments" must be an object');
    const missing = (definition?.arguments ?? []).filter(({ name, required }) => required === true && args[name] === undefined);
    if (definition && missing.length > 0)
      return refuse("invalid_arguments", `the prompt needs ${missing.map(({ name }) => name).join(", ")}: ${signatureOf(definition)}`);
    return { name: offer.name, arguments: args, via: "get_prompt" };
  },
});
