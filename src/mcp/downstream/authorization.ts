/** Shows a server its token on every request, and repeats a request once with a fresh one where the server refused the first: a 401 carries nothing out. */
import type { Fetch } from "./fetch.ts";

/** Where the token of one server comes from. */
export interface Authorization {
  /**
   * A token that is valid as far as can be known. `refused` is one that the server has just answered with 401: another one is wanted. Rejects
   * with AuthorizationRequired when a person has to act first, with NotSentError when it may work later.
   */
  token(refused?: string): Promise<string>;
}

/** No request can leave until somebody has logged in, or corrected a credential. The message says what happened and what to do, in our words. */
export class AuthorizationRequired extends Error {}

/** Fetches with the token of `authorization`; requests to another origin than the server's go without it. */
export function authorized(inner: Fetch, serverUrl: URL, authorization: Authorization): Fetch {
  return async (address, init) => {
    const url = new URL(address instanceof Request ? address.url : address);
    if (url.origin !== serverUrl.origin) return inner(address, init);
    const send = (token: string) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${token}`);
      return inner(address, { ...init, headers });
    };
    const first = await authorization.token();
    const answer = await send(first);
    if (answer.status !== 401) return answer;
    const second = await authorization.token(first);
    await answer.body?.cancel();
    const again = await send(second);
    if (again.status === 401) await authorization.token(second);
    return again;
  };
}

/** What a failure says when a person has to act before anything can be sent, whoever wrapped it. */
export function authorizationRequired(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof AuthorizationRequired) return at.message;
  return undefined;
}
