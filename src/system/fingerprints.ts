/** What a server offers, as one digest: a summary holds as long as it stays the same. */
import { type Catalogue, offerKey, type ServerEntry } from "../../actors/catalogue.ts";
import { authorise } from "../../actors/policy/allow.ts";
import { canonicalHash } from "../observe/digest.ts";

export type Fingerprints = (catalogue: Catalogue, server: ServerEntry) => string;

/** Of the tools and prompts that may be called, the resources, and what the server says of itself; their order does not count. */
export function createFingerprints(): Fingerprints {
  const known = new WeakMap<Catalogue, Map<string, string>>();
  return (catalogue, server) => {
    const before = known.get(catalogue) ?? new Map<string, string>();
    known.set(catalogue, before);
    const fingerprint = before.get(server.name) ?? fingerprintOf(catalogue, server);
    before.set(server.name, fingerprint);
    return fingerprint;
  };
}

function fingerprintOf(catalogue: Catalogue, { offers, resources, about }: ServerEntry): string {
  const allowed = [...offers.values()].filter(({ name }) => authorise(catalogue, name).allowed);
  const hashes = Object.fromEntries(allowed.map((offer) => [offerKey(offer), offer.hash]));
  const surface = { hashes, resources: resources?.hash ?? "", about: about ?? "" };
  return canonicalHash(surface);
}
