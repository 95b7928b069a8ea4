/** What operators decide about servers: `/v1/servers/NAME/accept`, `…/tools/TOOL`, `…/reconnect`. */
import { z } from "zod";
import { BUILTIN, REGISTRY } from "../../actors/address.ts";
import { type Offer, offerKey, type ServerEntry, serverOf } from "../../actors/catalogue.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Routes } from "./http.ts";
import { bodyOf, failure } from "./operator-body.ts";

export interface ServerRoutePorts {
  readonly runtime: Pick<Runtime, "enter" | "catalogue">;
  readonly vault: Pick<Vault, "redactText">;
  readonly position: () => number;
  /** Connects a server anew, with what is stored of logins now. False: there is no such server. */
  readonly reconnect: (server: string) => boolean;
}

const ROUTE = /^\/v1\/servers\/([^/]+)\/(?:(accept|reconnect)|tools\/([^/]+))$/;
/** `hash`, or its beginning, makes sure that what is accepted is what was read. */
const Acceptance = z.strictObject({
  tools: z.array(z.string().min(1)).min(1).max(10_000).optional(),
  hash: z
    .string()
    .regex(/^[0-9a-f]{8,64}$/, "the hash of a definition, or its first 8 digits at least")
    .optional(),
});
const Switch = z.strictObject({ enabled: z.boolean() });

const isNamed = ({ tool, name }: Offer, wanted: string): boolean => tool === wanted || name === wanted;

export function serverRoutes({ runtime, vault, position, reconnect }: ServerRoutePorts): Routes {
  const missing = (what: string): Response => failure(404, "tool_not_found", vault.redactText(what));
  const entryOf = (name: string): ServerEntry | undefined => serverOf(runtime.catalogue(), name);

  async function accept(request: Request, { name: server, offers }: ServerEntry, by: string): Promise<Response> {
    const read = await bodyOf(request, Acceptance);
    if ("response" in read) return read.response;
    const { tools, hash } = read.body;
    const waiting = [...offers.values()].filter((offer) => offer.withheld && (hash === undefined || offer.hash.startsWith(hash)));
    const unknown = (tools ?? []).filter((tool) => !waiting.some((offer) => isNamed(offer, tool)));
    await runtime.enter(REGISTRY, { type: "accept", server, by, ...(tools && { tools }), ...(hash !== undefined && { hash }) });
    const now = entryOf(server)?.accepted;
    const accepted = waiting
      .filter((offer) => now?.get(offerKey(offer))?.pin === offer.pin)
      .map(({ tool, kind, hash: of }) => ({ tool, ...(kind && { kind }), hash: of }));
    if (accepted.length > 0) return Response.json({ server, accepted, unknown, position: position() });
    const what = tools ? `None of ${tools.join(", ")}` : "Nothing";
    return missing(`${what} of ${server} waits to be accepted${hash === undefined ? "" : ` with the hash ${hash}`}.`);
  }

  async function turn(request: Request, entry: ServerEntry, named: string, by: string): Promise<Response> {
    const read = await bodyOf(request, Switch);
    if ("response" in read) return read.response;
    const tool = [...entry.offers.values()].find((offer) => isNamed(offer, named))?.tool ?? entry.disabled.find((one) => one === named);
    if (tool === undefined) return missing(`The server ${entry.name} has no tool ${named}.`);
    await runtime.enter(REGISTRY, { type: "switch", server: entry.name, tool, enabled: read.body.enabled, by });
    return Response.json({ server: entry.name, tool, enabled: read.body.enabled, position: position() });
  }

  return async (request, { pathname }, operator) => {
    const [, server, verb, tool] = ROUTE.exec(pathname) ?? [];
    if (server === undefined || request.method !== "POST") return undefined;
    const name = decodeURIComponent(server);
    const by = `operator:${operator.name}`;
    if (verb === "reconnect") {
      if (!operator.roles.includes("admin")) return failure(403, "refused", "This needs the role admin.");
      if (!reconnect(name)) return missing(`There is no server ${name}.`);
      return Response.json({ server: name, reconnecting: true, position: position() });
    }
    const entry = entryOf(name);
    if (!entry || entry.name === BUILTIN) return missing(`There is no server ${name}.`);
    return tool === undefined ? accept(request, entry, by) : turn(request, entry, decodeURIComponent(tool), by);
  };
}
