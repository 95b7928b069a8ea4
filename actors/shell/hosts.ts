/** Hosts in the addresses that `curl` and `wget` are given. */

const OWN = /^(localhost|.*\.localhost|ip6-localhost|metadata|metadata\.google\.internal|instance-data(\..*)?|host\.docker\.internal)$/;
const OWN_IPV4 = /^(0|127)\.|^169\.254\./;

/** An address as such programs read it, without a scheme if need be; a number is spelled out as an IPv4 address. */
function hostOf(text: string): string | undefined {
  const plain = text.replace(/[{}]/g, "");
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(plain) ? plain.replace(/^[^:]*/, "http") : `http://${plain}`;
  return URL.parse(address)
    ?.hostname.toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

/** This machine, or what tells its secrets to whoever asks from it. */
export function isOwnHost(text: string): boolean {
  const host = hostOf(text);
  if (host === undefined) return false;
  if (host.includes(":")) return /^::1?$|^fe[89ab]|^fd00:ec2::254$|^::ffff:(0|7f[0-9a-f]{2}|a9fe)(:|$)|^::(7f[0-9a-f]{2}|a9fe):/.test(host);
  return OWN.test(host) || OWN_IPV4.test(host);
}
