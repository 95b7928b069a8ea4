/** The guard before every address that an agent names: nothing inside this machine or network is reached, whatever its name resolves to. */
import { lookup } from "node:dns/promises";
import { isLocalName, isPublicAddress, literalOf } from "./address.ts";

/** All addresses of a name. Rejects when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export type Checked = { readonly ok: true; readonly url: URL; readonly address: string } | { readonly ok: false; readonly reason: string };

/** One text for everything behind the name, so that nobody can map a network with it. */
const UNREACHABLE = "it cannot be reached from here, or may not be";

export const resolveName: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/** Looks at an address, and at everything its name resolves to; `address` is the one to connect to. Never rejects. */
export async function checkAddress(text: string, resolve: Resolve): Promise<Checked> {
  const refused = (reason: string): Checked => ({ ok: false, reason });
  const url = URL.parse(text.trim());
  if (!url) return refused("it is not an address; give it in full, like https://host/path");
  if (url.protocol !== "http:" && url.protocol !== "https:") return refused("only http and https addresses can be reached");
  if (url.username !== "" || url.password !== "") return refused("an address must not hold a user name or a password");
  const literal = literalOf(url.hostname);
  if (literal !== undefined) return isPublicAddress(literal) ? { ok: true, url, address: literal } : refused(UNREACHABLE);
  if (isLocalName(url.hostname)) return refused(UNREACHABLE);
  try {
    const addresses = await resolve(url.hostname.replace(/\.+$/, ""));
    const [first] = addresses;
    return first !== undefined && addresses.every(isPublicAddress) ? { ok: true, url, address: first } : refused(UNREACHABLE);
  } catch {
    return refused(UNREACHABLE);
  }
}
