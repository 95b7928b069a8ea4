/** A named way to get a token for a server, every reference in it resolved. */

interface OAuthClient {
  readonly name: string;
  /** SHA-256 of everything that a stored token depends on, hex; it covers no secret. */
  readonly definition: string;
  readonly scopes: readonly string[];
  /** What a JWT's `aud` has to name instead of the resource; with client credentials it is also sent. */
  readonly audience?: string;
  /** RFC 8707, instead of what the server itself or its address says. With one, all servers of the profile share a token. */
  readonly resource?: string;
}
export interface Bearer {
  readonly type: "bearer";
  readonly name: string;
  readonly token: string;
}
export interface ClientCredentials extends OAuthClient {
  readonly type: "client_credentials";
  readonly clientId: string;
  readonly clientSecret: string;
  /** Exactly one of these two says who gets the client's secret; the server never does. */
  readonly issuer?: string;
  readonly tokenUrl?: string;
}
export interface AuthorizationCode extends OAuthClient {
  readonly type: "authorization_code";
  /** Without one the program registers itself, where that is offered. */
  readonly clientId?: string;
  /** Only with an issuer. */
  readonly clientSecret?: string;
  readonly issuer?: string;
  /** Of the redirect to 127.0.0.1; without one any free port. */
  readonly redirectPort?: number;
}
export type Profile = Bearer | ClientCredentials | AuthorizationCode;
export type OAuthProfile = ClientCredentials | AuthorizationCode;
