/** What went wrong in a conversation with an authorization server, in our words: its own could hold anything. */
import { IssuerMismatchError, OAuthClientFlowError, OAuthError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { GuardRefusal } from "../../net/guarded-fetch.ts";

/** Thrown where `explain` could not tell by the error alone. */
export class OAuthProblem extends Error {
  /** False: the same may well go through later. */
  readonly lasting: boolean;
  constructor(message: string, lasting: boolean) {
    super(message);
    this.lasting = lasting;
  }
}

export interface Explained {
  /** Fits behind "the authorization server X: ". */
  readonly why: string;
  readonly lasting: boolean;
  /** The grant itself is not valid any more: what is stored of it is of no use. */
  readonly isVoid: boolean;
}

const TRANSIENT = new Set(["server_error", "temporarily_unavailable", "slow_down", "too_many_requests"]);

/** Words for whatever a request to an authorization server ended with. */
export function explain(error: unknown): Explained {
  if (error instanceof OAuthProblem) return { why: error.message, lasting: error.lasting, isVoid: false };
  if (error instanceof GuardRefusal)
    return {
      why: "one of its addresses is not a public one: name the issuer in the profile if that is right",
      lasting: false,
      isVoid: false,
    };
  if (error instanceof OAuthError) {
    const code = wordOf(error.code);
    if (TRANSIENT.has(code)) return { why: "it could not answer", lasting: false, isVoid: false };
    return { why: `it refused (${code})`, lasting: true, isVoid: code === "invalid_grant" };
  }
  if (error instanceof RegistrationRejectedError)
    return { why: `it does not register this client (HTTP ${error.status})`, lasting: true, isVoid: false };
  if (error instanceof IssuerMismatchError)
    return {
      why:
        error.kind === "metadata"
          ? "its metadata names another issuer"
          : "the answer does not come from the issuer that was asked (iss): it was not used",
      lasting: true,
      isVoid: false,
    };
  if (error instanceof OAuthClientFlowError) return { why: "one of its addresses is not https", lasting: true, isVoid: false };
  if (error instanceof Error && error.name === "ZodError") return { why: "its answer cannot be read", lasting: true, isVoid: false };
  return { why: "it cannot be reached", lasting: false, isVoid: false };
}

/** Error codes are short ASCII words; anything else is not shown. */
export const wordOf = (code: string): string => (/^[a-z][a-z0-9_]{0,39}$/.test(code) ? code : "an unknown error");
