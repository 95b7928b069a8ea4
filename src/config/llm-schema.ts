/** `llm`: the models that may be asked, one for each tier, at endpoints that speak the OpenAI chat protocol. */
import { z } from "zod";

const Text = z.string().min(1);

const Tier = z.strictObject({
  baseUrl: Text.describe("The address in front of /chat/completions, for example https://api.openai.com/v1."),
  model: Text.describe("The name of the model, as the endpoint knows it."),
  apiKey: Text.optional().describe("Sent as a bearer token; as a reference."),
  supportsImageInput: z.boolean().default(false).describe("The model can be shown images."),
});
/** One tier as configured, references still as written. */
export type TierEntry = z.output<typeof Tier>;

export const LlmTiers = z.strictObject({
  low: Tier.optional().describe("Asked for what is simple and frequent."),
  balanced: Tier.optional(),
  high: Tier.optional().describe("Asked for what is hard and rare."),
});
export type LlmTiers = z.output<typeof LlmTiers>;
