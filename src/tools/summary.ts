/** A server in a few sentences, made from its lists alone. */
import { promptsOf, type ServerEntry, toolsOf } from "../../actors/catalogue.ts";
import type { ResourceList } from "../mcp/downstream/definitions.ts";

const NAMED = 10;
const MAX_CHARACTERS = 600;

function part(names: readonly string[], kind: string): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${names.length} ${kind}: ${names.slice(0, NAMED).join(", ")}${more}.`;
}

/** `isAllowed` leaves out what a session may not see. */
export function summarise(
  server: ServerEntry,
  resources: ResourceList | undefined,
  isAllowed: (offer: { readonly name: string }) => boolean,
): string {
  const tools = toolsOf(server).filter(isAllowed);
  const prompts = promptsOf(server).filter(isAllowed);
  const readable = [...(resources?.resources ?? []), ...(resources?.templates ?? [])];
  const text = [
    tools.length === 0
      ? "Provides no tools."
      : `Provides ${part(
          tools.map(({ tool }) => tool),
          "tool(s)",
        )}`,
    ...(prompts.length > 0
      ? [
          part(
            prompts.map(({ tool }) => tool),
            "prompt template(s)",
          ),
        ]
      : []),
    ...(readable.length > 0
      ? [
          part(
            readable.map(({ name }) => name),
            "resource(s)",
          ),
        ]
      : []),
  ].join(" ");
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
}
