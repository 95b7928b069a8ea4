/** Is an address out there? What may be reached on an agent's word: public unicast, and nothing of this machine, network or cloud. */
import ipaddr from "ipaddr.js";

/** Labelled unicast, but the wire server of one cloud. */
const DENIED = new Set(["168.63.129.16"]);
const LOCAL_NAMES = new Set(["localhost", "ip6-localhost", "ip6-loopback", "instance-data", "metadata"]);
const LOCAL_SUFFIXES = [".localhost", ".local", ".internal", ".localdomain", ".home.arpa"];

/** IPv4-mapped addresses count as what they carry. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return address.range() === "unicast" && !DENIED.has(address.toString());
}

/** The address that a URL's host is, without brackets; undefined when it is a name. */
export function literalOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Names that are not looked up at all. `hostname` as the URL parser gives it. */
export function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, "");
  return name === "" || !name.includes(".") || LOCAL_NAMES.has(name) || LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix));
}
