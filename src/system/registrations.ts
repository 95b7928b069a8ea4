/** Servers that agents add and remove: looked at first, recorded, connected, told. */
import { REGISTRY } from "../../actors/address.ts";
import { type Catalogue, elicitationOf, serverOf, toolsOf } from "../../actors/catalogue.ts";
import type { Proposal } from "../../actors/registry-commands.ts";
import { proposalFault, removalFault } from "../../actors/registry-proposals.ts";
import { normalisedUrl } from "../config/identity.ts";
import type { Connections } from "../effects/connections.ts";
import type { Wanted } from "../effects/wanted.ts";
import { checkAddress, type Resolve } from "../net/guard.ts";
import { canonicalHash } from "../observe/digest.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";

/** What the configuration says of it. */
export interface AgentServerOptions {
  readonly resolve: Resolve;
  readonly allowPrivate: () => boolean;
  /** Addresses of the operator's servers, as written, by name. */
  readonly operatorUrls: () => Readonly<Record<string, string>>;
  /** 12 hex digits. */
  readonly randomServerId: () => string;
}
export interface RegistrationPorts extends AgentServerOptions {
  readonly runtime: Pick<Runtime, "enter" | "catalogue">;
  readonly connections: Pick<Connections, "apply" | "all" | "of">;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}
/** What the agent is told. */
export interface Registered {
  readonly ok: boolean;
  readonly text: string;
}
export interface Registrations {
  register(proposal: Omit<Proposal, "duplicateOf">): Promise<Registered>;
  unregister(name: string, owner: string): Promise<Registered>;
}

/** So long the agent waits for the first connection. */
const FIRST_LIST_MS = 20_000;
const STEP_MS = 100;

/** The connections that the agents' entries in the catalogue ask for. */
export function wantedOfAgents(catalogue: Catalogue): Wanted[] {
  return [...catalogue.servers.values()].flatMap(({ name, id, origin, url, transport, refused }) => {
    if (origin !== "agent" || url === undefined || refused !== undefined) return [];
    const mode = transport === "sse" ? ("sse" as const) : ("auto" as const);
    const target = { kind: "http" as const, url, mode, headers: {}, guarded: true as const };
    const elicitation = elicitationOf(catalogue, name).mode !== "off";
    return [{ name, id, target, identity: canonicalHash([target, elicitation]), address: canonicalHash(url), elicitation, tasks: false }];
  });
}

export function createRegistrations(ports: RegistrationPorts): Registrations {
  const { runtime, connections, clock, allowPrivate, redact } = ports;
  const failed = (name: string, reason: string): Registered => ({ ok: false, text: `Failed to register server '${name}': ${reason}.` });

  /** Another server with the same address, whoever it belongs to. */
  const duplicateOf = (url: string): string | undefined => {
    const wanted = normalisedUrl(url);
    const agents = [...runtime.catalogue().servers.values()].flatMap((one) =>
      one.url === undefined ? [] : [[one.name, one.url] as const],
    );
    return [...Object.entries(ports.operatorUrls()), ...agents].find(([, known]) => normalisedUrl(known) === wanted)?.[0];
  };
  const urlFault = async (url: string): Promise<string | undefined> => {
    if (redact(url) !== url) return "the address holds a secret; only the operator can register it";
    if (allowPrivate())
      return /^https?:$/.test(URL.parse(url)?.protocol ?? "") ? undefined : "only http and https addresses can be reached";
    const checked = await checkAddress(url, ports.resolve);
    return checked.ok ? undefined : checked.reason;
  };
  /** Waits for the first list or the first failure. */
  const reached = async (name: string): Promise<boolean> => {
    for (let waited = 0; waited < FIRST_LIST_MS; waited += STEP_MS) {
      const connection = connections.of(name);
      if (!connection || connection.state === "connected") return connection !== undefined;
      if (connection.state === "disconnected" && connection.lastError !== undefined) return false;
      await new Promise<void>((resolve) => clock.after(STEP_MS, resolve));
    }
    return false;
  };

  return {
    async register(given) {
      const url = given.url.trim();
      const duplicate = duplicateOf(url);
      const proposal: Proposal = { ...given, url, ...(duplicate !== undefined && { duplicateOf: duplicate }) };
      const told = { ...proposal, name: redact(given.name), url: redact(url) };
      const fault = proposalFault(runtime.catalogue(), proposal);
      await runtime.enter(REGISTRY, { type: "propose", ...told });
      if (fault !== undefined) return failed(told.name, fault);
      const wrong = await urlFault(url);
      if (wrong !== undefined) {
        await runtime.enter(REGISTRY, { type: "reject", name: told.name, reason: wrong });
        return failed(told.name, wrong);
      }
      const late = proposalFault(runtime.catalogue(), proposal);
      await runtime.enter(REGISTRY, { type: "register", id: ports.randomServerId(), ...proposal });
      if (late !== undefined) return failed(given.name, late);
      connections.apply([...connections.all().map(({ wanted }) => wanted), ...wantedOfAgents(runtime.catalogue())].filter(isFirst));
      if (!(await reached(given.name)))
        return { ok: true, text: `Server '${given.name}' is registered, not reachable yet; it is tried again by itself.` };
      const count = toolsOf(serverOf(runtime.catalogue(), given.name)).length;
      return { ok: true, text: `Server '${given.name}' registered successfully. ${count} tool(s) available.` };
    },
    async unregister(name, owner) {
      const fault = removalFault(runtime.catalogue(), name, owner);
      if (fault !== undefined) return { ok: false, text: `Failed to unregister server '${redact(name)}': ${fault}.` };
      await runtime.enter(REGISTRY, { type: "unregister", name, owner });
      connections.apply(connections.all().flatMap(({ wanted }) => (wanted.name.toLowerCase() === name.toLowerCase() ? [] : [wanted])));
      return { ok: true, text: `Server '${name}' unregistered.` };
    },
  };
}

const isFirst = ({ name }: Wanted, index: number, all: readonly Wanted[]): boolean => all.findIndex((one) => one.name === name) === index;
