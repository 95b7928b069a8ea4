/** Tool definitions as agents get them: the server's own, under the published name, hiding nothing, in a form that clients take. */
import { BUILTIN } from "../../actors/address.ts";
import { type Catalogue, type Offer, serverOf } from "../../actors/catalogue.ts";
import { typedPrefix } from "../../actors/naming.ts";
import { type OperationFilter, operationFilter } from "../../actors/policy/operations.ts";
import { showInvisible } from "../../actors/visible-text.ts";
import type { Scope } from "../../events/policy.ts";
import type { PromptDefinition, ToolDefinition } from "./downstream/definitions.ts";
import { withOperations } from "./published-operations.ts";
import { publishedSchema } from "./published-schema.ts";
import { shownTexts } from "./shown-texts.ts";

/** `operations`: what may be used of a tool that does several things, where not all may. */
export type Published = (offer: Offer, operations?: OperationFilter) => ToolDefinition | undefined;

/** As a session of this scope gets it. */
export function publishedIn(catalogue: Catalogue, offer: Offer, scope: Scope, published: Published): ToolDefinition | undefined {
  const server = serverOf(catalogue, offer.server);
  return published(offer, server && operationFilter(catalogue, offer, server, scope));
}

/** The same offer always gives the same object. Undefined when its definition is not known. */
export function createPublished(documentOf: (hash: string) => unknown): Published {
  const made = new WeakMap<Offer, ToolDefinition>();
  const narrowed = new WeakMap<ToolDefinition, Map<string, ToolDefinition | undefined>>();
  const whole = (offer: Offer) => {
    const before = made.get(offer);
    if (before) return before;
    const document = documentOf(offer.hash);
    if (document === undefined) return undefined;
    const definition = offer.kind === "prompt" ? asTool(document as PromptDefinition) : (document as ToolDefinition);
    const published = offer.server === BUILTIN ? definition : ofServer(offer, shownTexts(definition));
    made.set(offer, published);
    return published;
  };
  return (offer, operations) => {
    const all = whole(offer);
    return all && operations ? withOperations(all, operations, narrowed) : all;
  };
}

const ofServer = (offer: Offer, definition: ToolDefinition): ToolDefinition => ({
  ...definition,
  name: offer.name,
  description: describe(offer, definition),
  inputSchema: publishedSchema(definition.inputSchema),
});

/** The server's name in front; the tool's own name behind where the published one does not tell it. */
function describe({ server, name, tool, kind }: Offer, { description }: ToolDefinition): string {
  const isCut = kind === undefined && name !== tool && !`${typedPrefix(server)}${tool}`.startsWith(name);
  return `[${server}] ${description ?? showInvisible(tool)}${isCut ? ` (the server's own name: ${showInvisible(tool)})` : ""}`;
}

/** A prompt's arguments are texts. */
function asTool({ name, title, description, arguments: args = [] }: PromptDefinition): ToolDefinition {
  const property = (about: string | undefined) => ({ type: "string", ...(about !== undefined && { description: about }) });
  return {
    name,
    ...(title !== undefined && { title }),
    description: `Prompt ${name}${description === undefined ? "" : `: ${description}`}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(args.map((one) => [one.name, property(one.description)])),
      required: args.flatMap((one) => (one.required === true ? [one.name] : [])),
    },
    annotations: { readOnlyHint: true },
  };
}
