/** Definitions that wait to be accepted, with the text that was accepted before and what is known of the change: from the log. */
import { offerKey } from "../../actors/catalogue.ts";
import type { Severity } from "../../actors/scan/finding.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { Reader } from "../log/reader.ts";
import type { KnownServer } from "./known-tools.ts";

export type Definition = Readonly<Record<string, unknown>>;
export interface Pending {
  readonly server: string;
  /** The server's own name. */
  readonly tool: string;
  readonly kind?: "prompt";
  /** For agents. */
  readonly name: string;
  /** Of the definition that waits. */
  readonly hash: string;
  /** Of the accepted one. */
  readonly previous?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** `suspicious`: it is new and reads like an attack. */
  readonly change: "changed" | "added" | "suspicious";
  /** The parts that differ; "server": how the server is reached. */
  readonly fields: readonly string[];
  readonly findings: readonly Found[];
  readonly accepted?: Definition;
  readonly offered: Definition;
}
export interface Found {
  readonly kind: string;
  readonly severity: Severity;
  readonly where: string;
  readonly excerpt?: string;
}

type Facts = Readonly<Record<string, unknown>>;
const PAGE = 1000;

/** Of these servers, in their order. */
export function pendingOf(reader: Reader, servers: readonly KnownServer[]): readonly Pending[] {
  const waiting = servers.flatMap((server) =>
    server.policy.trusted ? [] : Object.values(server.offers).flatMap((offer) => (offer.withheld ? [{ server, offer }] : [])),
  );
  if (waiting.length === 0) return [];
  const told = lastOf(reader, ["tool.withheld", "tool.changed", "tool.flagged"]);
  return waiting.map(({ server, offer }) => {
    const { tool, kind, name, hash } = offer;
    const key = keyOf(server.name, offer, hash);
    const [withheld, changed, flagged] = ["tool.withheld", "tool.changed", "tool.flagged"].map((type) => told.get(`${type}\n${key}`));
    const previous = server.accepted[offerKey(offer)]?.hash;
    const { change = "suspicious", fields = [] } = (changed?.data ?? {}) as Partial<Pick<Pending, "change" | "fields">>;
    const accepted = previous === undefined ? undefined : definitionOf(reader, previous);
    return {
      server: server.name,
      tool,
      ...(kind && { kind }),
      name,
      hash,
      ...(previous !== undefined && { previous }),
      ...(withheld && { since: withheld.at }),
      change,
      fields,
      findings: flagged ? findingsIn(reader, flagged) : [],
      ...(accepted && { accepted }),
      offered: definitionOf(reader, hash) ?? {},
    };
  });
}

const keyOf = (server: string, { tool, kind }: { readonly tool: string; readonly kind?: "prompt" | undefined }, hash: string): string =>
  JSON.stringify([server.toLowerCase(), offerKey({ tool, kind }), hash]);

/** The newest event of each type about each definition. */
function lastOf(reader: Reader, types: readonly string[]): ReadonlyMap<string, Envelope> {
  const found = new Map<string, Envelope>();
  for (const type of types)
    for (let after = 0; ; ) {
      const page = reader.page({ after, limit: PAGE, type });
      for (const event of page) {
        const { server, tool, kind, hash } = event.data as Facts;
        const isPrompt = kind === "prompt" ? ({ kind } as const) : {};
        found.set(`${type}\n${keyOf(String(server), { tool: String(tool), ...isPrompt }, String(hash))}`, event);
      }
      after = page.at(-1)?.position ?? after;
      if (page.length < PAGE) break;
    }
  return found;
}

/** The places stand in the event, the pieces of text in its payload, which may have been erased. */
function findingsIn(reader: Reader, { data, position }: Envelope): readonly Found[] {
  const { findings } = data as { readonly findings: readonly Found[] };
  const payload = reader.payload(position) as { readonly excerpts?: readonly string[] } | undefined;
  return findings.map((finding, index) => {
    const excerpt = payload?.excerpts?.[index];
    return { ...finding, ...(excerpt !== undefined && { excerpt }) };
  });
}

function definitionOf(reader: Reader, hash: string): Definition | undefined {
  const json = reader.definition(hash);
  return json === undefined ? undefined : (JSON.parse(json) as Definition);
}
