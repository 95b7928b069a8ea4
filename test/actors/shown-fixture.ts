/** Catalogues of made-up servers, for the tests of what sessions see. */
import {
  type Catalogue,
  DEFAULT_SURFACE,
  EMPTY_CATALOGUE,
  type Offer,
  OPEN_POLICY,
  offerKey,
  type ServerEntry,
} from "../../actors/catalogue.ts";
import type { ServerPolicy, Surface } from "../../events/registry.ts";

export type Servers = Readonly<Record<string, readonly (string | Partial<Offer>)[]>>;
export const offerOf = (server: string, given: string | Partial<Offer>): Offer => {
  const { tool = "t", ...more } = typeof given === "string" ? { tool: given } : given;
  const name = server === "builtin" ? tool : `${server}__${tool}${more.kind === "prompt" ? "-prompt" : ""}`;
  return { name, server, tool, hash: `${name}-1`, capability: "mutating", ...more };
};
export function catalogueOf(
  servers: Servers,
  surface: Partial<Surface> = {},
  policies: Readonly<Record<string, Partial<ServerPolicy>>> = {},
): Catalogue {
  const all: Servers = { builtin: [{ tool: "mcp_find_tools", capability: "read" }, "mcp_invoke_tool"], ...servers };
  const entries = Object.entries(all).map(([name, tools]): ServerEntry => {
    const offers = tools.map((given) => offerOf(name, given));
    const origin = name === "builtin" ? "builtin" : "operator";
    return {
      name,
      id: name,
      origin,
      transport: "stdio",
      policy: { ...OPEN_POLICY, ...policies[name] },
      offers: new Map(offers.map((offer) => [offerKey(offer), offer])),
      accepted: new Map(),
      disabled: [],
    };
  });
  return {
    ...EMPTY_CATALOGUE,
    surface: { ...DEFAULT_SURFACE, ...surface },
    servers: new Map(entries.map((entry) => [entry.name, entry])),
    names: new Map(entries.flatMap(({ offers }) => [...offers.values()].map((offer) => [offer.name, offer] as const))),
  };
}
