/** The tiers of models that may be asked: where each answers, and with what key. */
import type { Secret } from "../secrets/secret-set.ts";

/** Cheapest first. */
export const TIERS = ["low", "balanced", "high"] as const;
export type Tier = (typeof TIERS)[number];

/** One tier, its references looked up. */
export interface Endpoint {
  /** `/chat/completions` is put behind its path. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token; absent: none is. */
  readonly apiKey?: string;
  readonly supportsImageInput: boolean;
  /** What of it must not be shown. */
  readonly secrets: readonly Secret[];
}
export type Tiers = { readonly [T in Tier]?: Endpoint };
