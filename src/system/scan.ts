/** Judges definitions beside the names of everything else that is published. */
import { BUILTIN } from "../../actors/address.ts";
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import { scanDefinition } from "../../actors/definition-scan.ts";
import type { Finding } from "../../actors/scan/finding.ts";
import { scanContext, type ToolNames, toolNames } from "../../actors/scan/names.ts";

type Scan = (server: string, tool: string, document: Readonly<Record<string, unknown>>) => readonly Finding[];

export function createScan(catalogue: () => Catalogue): Scan {
  const made = new WeakMap<Catalogue, ToolNames>();
  const namesOf = (now: Catalogue): ToolNames => {
    const before = made.get(now);
    if (before) return before;
    const names = toolNames([...now.servers.values()].filter(({ name }) => name !== BUILTIN));
    made.set(now, names);
    return names;
  };
  return (server, tool, document) => {
    const now = catalogue();
    const own = [...(serverOf(now, server)?.offers.values() ?? [])].map((offer) => offer.tool);
    return scanDefinition(document, scanContext(server, [...own, tool], namesOf(now)));
  };
}
