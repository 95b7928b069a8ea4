/** Forms and rules as the tests of questions need them. */
import { DEFAULT_ELICITATION } from "../../actors/catalogue.ts";
import { observeQuestion, readForm } from "../../actors/elicit/form.ts";
import type { Elicitation } from "../../events/elicitation.ts";

export const policy = (changes: Partial<Elicitation> = {}): Elicitation => ({ ...DEFAULT_ELICITATION, ...changes });

/** The params of a form with these properties. */
export const asking = (properties: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  message: "Which one?",
  requestedSchema: { type: "object", properties, ...more },
});
export const formOf = (properties: unknown, required: readonly string[] = []) => readForm(asking(properties, { required }));
export const fieldOf = (schema: unknown) => formOf({ it: schema }).fields[0]!;

export const observe = (params: unknown, changes: Partial<Elicitation> = {}, redact?: (text: string) => string) =>
  observeQuestion("k", { method: "elicitation/create", params }, policy(changes), redact);
