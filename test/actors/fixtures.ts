/** A small catalogue and calls on it, for the tests of actors. */
import { type Catalogue, EMPTY_CATALOGUE, type Offer, OPEN_POLICY, type ServerEntry } from "../../actors/catalogue.ts";
import type { ServerPolicy } from "../../events/registry.ts";

export const sendMail: Offer = { name: "mail__send_mail", server: "mail", tool: "send_mail", hash: "h1", capability: "mutating" };
export const listMail: Offer = { name: "mail__list", server: "mail", tool: "list", hash: "h2", capability: "mutating", readOnlyHint: true };

export function catalogueOf(policy: Partial<ServerPolicy> = {}, limits: Partial<Catalogue["limits"]> = {}): Catalogue {
  const offers = [sendMail, listMail];
  const mail: ServerEntry = {
    name: "mail",
    id: "aaaaaaaaaaaa",
    origin: "operator",
    transport: "stdio",
    policy: { ...OPEN_POLICY, ...policy },
    offers: new Map(offers.map((offer) => [offer.tool, offer])),
    accepted: new Map(),
    disabled: [],
  };
  return {
    ...EMPTY_CATALOGUE,
    limits: { ...EMPTY_CATALOGUE.limits, ...limits },
    servers: new Map([["mail", mail]]),
    names: new Map(offers.map((offer) => [offer.name, offer])),
  };
}
