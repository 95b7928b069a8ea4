/** A request that goes out once more with the answers to what its server asked. */
import type { CallOutcome, RequestLeg } from "./downstream.ts";

export const isFurther = ({ inputResponses, requestState }: RequestLeg): boolean =>
  inputResponses !== undefined || requestState !== undefined;

/** What it carries in its params. */
export const broughtBy = ({ inputResponses, requestState }: RequestLeg): Readonly<Record<string, unknown>> => ({
  ...(inputResponses !== undefined && { inputResponses }),
  ...(requestState !== undefined && { requestState }),
});

/** Sent again, it would be a new one to the server. */
export const FORGETS: CallOutcome = {
  kind: "not_sent",
  forgets: true,
  reason: "the server now speaks an older protocol, which cannot go on with a call that asked",
};
