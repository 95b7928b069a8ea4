/** `/debug/api/servers`, `/debug/api/servers/{name}`: the servers of the registry, with what is known of their connections right now. */
import { BUILTIN, REGISTRY, serverAddress } from "../../../actors/address.ts";
import { type Catalogue, promptsOf, serverOf, toolsOf } from "../../../actors/catalogue.ts";
import { isOffered } from "../../../actors/policy/allow.ts";
import { capabilityOf } from "../../../actors/policy/capability.ts";
import type { ServerRow } from "../../log/projections/servers.ts";
import type { Reader } from "../../log/reader.ts";
import type { ToolDefinition } from "../../mcp/downstream/definitions.ts";
import { answer, notThere, pagingOf, present, textOf, wordOf } from "./answers.ts";
import { callRows } from "./calls.ts";
import type { StateOf } from "./state.ts";

/** What one connection is like now: nothing of it is in the log. */
export interface LiveConnection {
  readonly state: "connecting" | "connected" | "disconnected";
  readonly lastError: string | undefined;
  /** What a person has to do before it can be connected. */
  readonly blocked: string | undefined;
  /** Last lines, oldest first. */
  readonly stderr: readonly string[];
  readonly pid: number | undefined;
}
export interface ServerPorts {
  readonly reader: Reader;
  readonly catalogue: () => Catalogue;
  readonly definitionOf: (hash: string) => ToolDefinition | undefined;
  readonly live: (server: string) => LiveConnection | undefined;
  /** Entries of the configuration that are switched off: the registry does not know them. */
  readonly disabled: () => readonly { readonly name: string; readonly transport: string }[];
  readonly redact: (text: string) => string;
  readonly stateAt: StateOf;
}
export interface ServerViews {
  list(url: URL): Response;
  show(name: string): Promise<Response>;
}

/** So many of the calls that are open at a server are shown. */
const MAX_CALLS = 200;
const STATES = ["connecting", "connected", "disconnected", "refused", "disabled"] as const;
const ROWS = "select name, id, origin, owner, transport, state, protocol, era, implementation, reason, changed_at from servers";

export function createServerViews({ reader, catalogue, definitionOf, live, disabled, redact, stateAt }: ServerPorts): ServerViews {
  const positions = new Map<string, number>();
  let version = 0;
  /** Where each server entered the registry; reads on where the last request stopped. */
  const positionOf = (name: string): number => {
    for (const event of reader.read(REGISTRY, version)) {
      version = event.version;
      const { name: of = "" } = event.data as { name?: string };
      if (event.type === "server.registered" || event.type === "server.refused") positions.set(of, event.position);
    }
    return positions.get(name) ?? 0;
  };

  const shown = (row: ServerRow) => {
    const connection = live(row.name);
    const state = row.state === "registered" ? (connection?.state ?? "disconnected") : row.state;
    const entry = serverOf(catalogue(), row.name);
    return {
      ...present({
        name: row.name,
        id: row.id,
        origin: row.origin ?? "operator",
        // A connection that is tried again is still disconnected in the log.
        state: row.name === BUILTIN ? "connected" : state === "disconnected" ? (connection?.state ?? state) : state,
        reason: connection?.blocked ?? row.reason,
        transport: row.transport,
        protocolVersion: row.protocol,
        era: row.era,
        implementation: row.implementation,
        toolCount: toolsOf(entry).length,
        promptCount: entry && promptsOf(entry).length > 0 ? promptsOf(entry).length : undefined,
        resourceCount: entry?.resources && entry.resources.resources + entry.resources.templates,
        owner: row.owner,
        lastError: connection?.lastError === undefined ? undefined : redact(connection.lastError),
        changedAt: row.changed_at,
      }),
      position: positionOf(row.name),
    };
  };
  const offersOf = (name: string) => {
    const entry = serverOf(catalogue(), name);
    return [...(entry?.offers.values() ?? [])].map((offer) => ({
      name: offer.name,
      tool: offer.tool,
      ...(offer.kind && { kind: offer.kind }),
      ...(offer.withheld && { withheld: true }),
      ...(entry?.disabled.includes(offer.tool) && { disabled: true }),
      hash: offer.hash,
      capability: entry ? capabilityOf(entry.policy, offer) : offer.capability,
      offered: entry !== undefined && entry.refused === undefined && isOffered(entry.policy, offer.tool),
      definition: definitionOf(offer.hash),
    }));
  };

  return {
    /** The built-in tools only appear with `?type=builtin`; `?type=` is the transport otherwise. */
    list(url) {
      const { after, limit } = pagingOf(url);
      const status = wordOf(url, "status", STATES);
      const type = textOf(url, "type");
      const off = disabled().map((entry) => ({ ...entry, origin: "operator", state: "disabled", toolCount: 0, position: 0 }));
      const known = reader.query<ServerRow>(ROWS).map(shown);
      const servers = [...(url.searchParams.has("after") ? [] : off), ...known.filter(({ position }) => position > after)]
        .filter((row: Readonly<Record<string, unknown>>) => status === undefined || row["state"] === status)
        .filter((row: Readonly<Record<string, unknown>>) => (type === undefined ? row["origin"] !== "builtin" : row["transport"] === type))
        .sort((one, other) => one.position - other.position)
        .slice(0, limit);
      return answer({ servers, position: reader.head.position });
    },
    async show(name) {
      const { position } = reader.head;
      const row = reader.query<ServerRow>(`${ROWS} where name = ? collate nocase`, name)[0];
      if (!row) throw notThere(`There is no server ${name}.`);
      const { position: firstPosition, ...facts } = shown(row);
      const tools = offersOf(row.name);
      const connection = live(row.name);
      const { state } = await stateAt(serverAddress(row.name), { position });
      const {
        inFlight = {},
        waiting = [],
        inDoubt = {},
      } = state as { inFlight?: object; waiting?: readonly { readonly call: string }[]; inDoubt?: object };
      return answer({
        ...facts,
        firstPosition,
        tools,
        stderr: (connection?.stderr ?? []).map(redact),
        ...(connection?.pid !== undefined && { pid: connection.pid }),
        inFlight: Object.keys(inFlight).length,
        waiting: waiting.length,
        inDoubt: Object.keys(inDoubt).length,
        openCalls: callRows(
          reader,
          [...Object.keys(inFlight), ...waiting.map(({ call }) => call), ...Object.keys(inDoubt)].slice(0, MAX_CALLS),
        ),
        position,
      });
    },
  };
}
