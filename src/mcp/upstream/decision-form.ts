/** The form by which a person decides on an approval, and what its answer says. */
import type { ElicitAnswer } from "./elicit.ts";

export interface PersonAnswer {
  readonly verdict: "approve" | "deny" | "revise";
  readonly instructions?: string;
}

const DECISIONS = ["approve", "deny", "revise"];
const VERDICTS = new Set<unknown>(DECISIONS);

/** As MCP wants the `requestedSchema` of a form. */
export const DECISION_FORM = {
  type: "object",
  properties: {
    decision: { type: "string", title: "Decision", enum: DECISIONS },
    instructions: {
      type: "string",
      title: "Instructions",
      description: "For a revision: what should be different.",
      maxLength: 1000,
    },
  },
  required: ["decision"],
} as const;

/** Undefined when the person did not say. */
export function decisionOf({ action, content }: ElicitAnswer): PersonAnswer | undefined {
  if (action === "decline") return { verdict: "deny" };
  const verdict = action === "accept" ? content?.["decision"] : undefined;
  if (!VERDICTS.has(verdict)) return undefined;
  const words = content?.["instructions"];
  return { verdict: verdict as PersonAnswer["verdict"], ...(typeof words === "string" && words !== "" && { instructions: words }) };
}
