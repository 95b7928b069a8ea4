/** Shows a server its token on every request, and repeats a request once with a fresh one where the server refused the first: a 401 carries nothing out. */
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { type Authorization, authorizationRequired, InsufficientGrant } from "./authorization.ts";
import type { Fetch } from "./fetch.ts";

/**
 * Fetches with the token of `authorization`; requests to another origin than the server's go without it. `onRequired` is told when there is no
 * token, since not every transport passes on what its fetch rejects with.
 */
export function authorized(inner: Fetch, serverUrl: URL, authorization: Authorization, onRequired: (error: unknown) => void): Fetch {
  const token = async (refused?: string) => {
    try {
      return await authorization.token(refused);
    } catch (error) {
      if (authorizationRequired(error) !== undefined) onRequired(error);
      throw error;
    }
  };
  return async (address, init) => {
    const url = new URL(address instanceof Request ? address.url : address);
    if (url.origin !== serverUrl.origin) return inner(address, init);
    const send = (shown: string) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${shown}`);
      return inner(address, { ...init, headers });
    };
    const first = await token();
    const answer = await send(first);
    if (answer.status !== 401) return sufficient(answer, authorization);
    const second = await token(first);
    await answer.body?.cancel();
    const again = await send(second);
    if (again.status === 401) await token(second);
    return sufficient(again, authorization);
  };
}

async function sufficient(answer: Response, authorization: Authorization): Promise<Response> {
  if (answer.status !== 403) return answer;
  const { error, scope } = extractWWWAuthenticateParams(answer);
  if (error !== "insufficient_scope") return answer;
  await answer.body?.cancel();
  throw new InsufficientGrant(authorization.insufficient(scope));
}
