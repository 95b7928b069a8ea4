/** Where the tokens for a server come from, and the error that says that a person has to act before there is one. */

export interface Authorization {
  /**
   * A token that is valid as far as can be known. `refused` is one that the server has just answered with 401: another one is wanted. Rejects
   * with AuthorizationRequired when a person has to act first, with NotSentError when it may work later.
   */
  token(refused?: string): Promise<string>;
  /** The server wants these scopes for a request and refused it: what to do, in our words. They are asked for by the next login. */
  insufficient(scope: string | undefined): string;
}

/** No request can leave until somebody has logged in, or corrected a credential. The message says what happened and what to do, in our words. */
export class AuthorizationRequired extends Error {}

/** The server refused this one request with 403: what the token grants is not enough for it. The message as above. */
export class InsufficientGrant extends Error {}

/** What a failure says when a person has to act before anything can be sent, whoever wrapped it. */
export const authorizationRequired = (error: unknown): string | undefined => messageOf(error, AuthorizationRequired);

/** The same where a single request is concerned. */
export const insufficientGrant = (error: unknown): string | undefined => messageOf(error, InsufficientGrant);

function messageOf(error: unknown, kind: typeof AuthorizationRequired | typeof InsufficientGrant): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof kind) return at.message;
  return undefined;
}
