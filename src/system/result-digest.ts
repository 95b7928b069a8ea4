/** A short name for what a call came to, where the limits of a profile look for calls that go round in circles. */
import type { Catalogue } from "../../actors/catalogue.ts";
import { profileOf } from "../../actors/policy/defaults.ts";
import { CanonicalError } from "../observe/canonical.ts";
import { argumentDigest } from "../observe/digest.ts";

/** Undefined where nobody asks for it, and for a result that JSON cannot say. */
export const createResultDigest =
  (catalogue: () => Catalogue, key: Uint8Array) =>
  (profile: string, result: unknown): string | undefined => {
    const { spin } = profileOf(catalogue().policy, profile).limits;
    if (spin.repetition < 2 && spin.window < 2) return undefined;
    try {
      return argumentDigest(key, result);
    } catch (error) {
      if (error instanceof CanonicalError) return undefined;
      throw error;
    }
  };
