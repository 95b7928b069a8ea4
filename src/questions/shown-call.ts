/** A call as models are shown it that answer a question for it: where it goes, and its arguments without secrets. */
import type { Catalogue } from "../../actors/catalogue.ts";
import type { OpenCall } from "../calls/open-calls.ts";
import type { AskingCall } from "../llm/ask-prompt.ts";
import type { ToolDefinition } from "../mcp/downstream/definitions.ts";
import type { Vault } from "../secrets/vault.ts";

export interface ShownCallPorts {
  readonly catalogue: () => Catalogue;
  readonly openCall: (call: string) => OpenCall | undefined;
  readonly definitionOf: (server: string, tool: string) => ToolDefinition | undefined;
  readonly vault: Pick<Vault, "conceal">;
}

export function createShownCall({ catalogue, openCall, definitionOf, vault }: ShownCallPorts) {
  return (call: string): AskingCall | undefined => {
    const open = openCall(call);
    const offer = open && catalogue().names.get(open.name);
    if (!open || !offer) return undefined;
    const description = offer.kind === undefined ? definitionOf(offer.server, offer.tool)?.description : undefined; // a prompt may be called like a tool
    const args = vault.conceal(open.arguments, { session: open.session }).value;
    return { server: offer.server, tool: offer.tool, ...(description !== undefined && { description }), arguments: args };
  };
}
