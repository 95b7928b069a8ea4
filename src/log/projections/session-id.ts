/** Events name a session by its id, streams by its address: tables hold the id. */
export function sessionId(address: string): string {
  return address.startsWith("session/") ? address.slice("session/".length) : address;
}
