/** Asks the person in front of a client for a decision, by a form of the client's own. */
import type { Server, ServerContext } from "@modelcontextprotocol/server";

export interface PersonQuestion {
  readonly message: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** The answer is not needed any more. */
  readonly signal: AbortSignal;
}
export interface PersonAnswer {
  readonly verdict: "approve" | "deny" | "revise";
  readonly instructions?: string;
}
/** Undefined when the person did not say. Never rejects. */
export type AskPerson = (question: PersonQuestion) => Promise<PersonAnswer | undefined>;

const DECISIONS = ["approve", "deny", "revise"];
const FORM = {
  type: "object" as const,
  properties: {
    decision: { type: "string" as const, title: "Decision", enum: DECISIONS },
    instructions: {
      type: "string" as const,
      title: "Instructions",
      description: "For a revision: what should be different.",
      maxLength: 1000,
    },
  },
  required: ["decision"],
};
const VERDICTS = new Set<unknown>(DECISIONS);

/** Undefined when the client cannot show forms. */
export function askPersonOf(server: Server, { mcpReq }: ServerContext): AskPerson | undefined {
  const { elicitation } = server.getClientCapabilities() ?? {};
  if (elicitation === undefined || (elicitation.form === undefined && elicitation.url !== undefined)) return undefined;
  return async ({ message, timeoutMs, signal }) => {
    try {
      const params = { mode: "form" as const, message, requestedSchema: FORM };
      const { action, content } = await mcpReq.elicitInput(params, { timeout: timeoutMs, signal });
      if (action === "decline") return { verdict: "deny" };
      const verdict = action === "accept" ? content?.["decision"] : undefined;
      if (!VERDICTS.has(verdict)) return undefined;
      const words = content?.["instructions"];
      return { verdict: verdict as PersonAnswer["verdict"], ...(typeof words === "string" && words !== "" && { instructions: words }) };
    } catch {
      return undefined; // it did not answer, or cannot: other people may
    }
  };
}
