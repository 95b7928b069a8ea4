/** `_meta["toolcrib/profile"]` and `_meta["toolcrib/allow"]`: how far a request wants to be held. */
import type { Narrowing } from "../../events/policy.ts";
import type { Caller, Refused } from "./admission.ts";

const PROFILE = "toolcrib/profile";
const ALLOW = "toolcrib/allow";
const MAX_NAMES = 500;
const MAX_LENGTH = 256;

const isName = (value: unknown): value is string => typeof value === "string" && value.length > 0 && value.length <= MAX_LENGTH;
const refusal = (reason: string): { refusal: Refused } => ({ refusal: { code: "invalid_arguments", rule: "narrowing", reason } });

/** Undefined where nothing is said. */
export function narrowingOf(
  meta: Readonly<Record<string, unknown>> | undefined,
): { readonly narrow: Narrowing } | { readonly refusal: Refused } | undefined {
  const profile = meta?.[PROFILE];
  const allow = meta?.[ALLOW];
  if (profile === undefined && allow === undefined) return undefined;
  if (profile !== undefined && !isName(profile)) return refusal(`_meta["${PROFILE}"] is the name of a profile`);
  if (allow !== undefined && !(Array.isArray(allow) && allow.length <= MAX_NAMES && allow.every(isName)))
    return refusal(`_meta["${ALLOW}"] is a list of at most ${MAX_NAMES} names of tools or groups`);
  const names = allow as string[] | undefined;
  return { narrow: { ...(profile !== undefined && { profile }), ...(names && { allow: names }) } };
}

/** Names that hold a secret are nobody's, and are not written down. */
export function narrowedSafely<C extends Pick<Caller, "narrow">>(caller: C, redact: (text: string) => string): C {
  const { narrow } = caller;
  if (!narrow) return caller;
  const { profile, allow } = narrow;
  return {
    ...caller,
    narrow: { ...(profile !== undefined && { profile: redact(profile) }), ...(allow && { allow: allow.map(redact) }) },
  };
}
