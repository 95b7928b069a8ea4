/** The URIs under which servers' resources are offered to clients: `toolcrib://{server}/` and then the server's own URI, unchanged; templates likewise. */

const SCHEME = "toolcrib://";

export const nativeUri = (server: string, uri: string): string => `${SCHEME}${encodeURIComponent(server)}/${uri}`;

/** The server, as written, and its own URI; undefined for a URI of another kind. */
export function splitNativeUri(uri: string): { readonly server: string; readonly uri: string } | undefined {
  const slash = uri.startsWith(SCHEME) ? uri.indexOf("/", SCHEME.length) : -1;
  if (slash < 0 || slash === uri.length - 1) return undefined;
  try {
    return { server: decodeURIComponent(uri.slice(SCHEME.length, slash)), uri: uri.slice(slash + 1) };
  } catch {
    return undefined; // a stray %
  }
}
