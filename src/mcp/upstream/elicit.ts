/** Shows a form to the person in front of a legacy client, in the middle of a request. */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "./json.ts";

export interface ElicitForm {
  readonly message: string;
  /** As MCP has it: a flat object. */
  readonly requestedSchema: JsonObject;
  readonly timeoutMs: number;
  /** Aborted when the answer is not needed any more. */
  readonly signal: AbortSignal;
}
/** `content` is not validated against the form. */
export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}
/** Undefined when nobody answered. Never rejects. */
export type Elicit = (form: ElicitForm) => Promise<ElicitAnswer | undefined>;

/** Asks on the way of the request's own answer. Only for a client that has declared forms. */
export function elicitOf({ mcpReq }: ServerContext): Elicit {
  return async ({ message, requestedSchema, timeoutMs, signal }) => {
    try {
      const params = { mode: "form" as const, message, requestedSchema: requestedSchema as FormSchema };
      const { action, content } = await mcpReq.send({ method: "elicitation/create", params }, { timeout: timeoutMs, signal });
      return { action, ...(content && { content }) };
    } catch {
      return undefined; // it did not answer, or cannot: others may
    }
  };
}

type FormSchema = Extract<Parameters<ServerContext["mcpReq"]["elicitInput"]>[0], { requestedSchema: unknown }>["requestedSchema"];
