/** What the registry has published: the one piece of reference data that every decision may read. */
import type { Capability } from "../events/call.ts";
import type { Elicitation } from "../events/elicitation.ts";
import type { Policy } from "../events/policy.ts";
import type { Limits, ServerPolicy, Surface, TaskOffer } from "../events/registry.ts";
import { DEFAULT_POLICY } from "./policy/defaults.ts";

/** One callable tool: the name that agents see, and where it leads. */
export interface Offer {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  /** Of its definition. */
  readonly hash: string;
  /** What it may do unless the operator says otherwise. */
  readonly capability: Capability;
  readonly readOnlyHint?: true;
  readonly destructiveHint?: true;
  readonly openWorldHint?: true;
  readonly idempotentHint?: true;
  /** A prompt that is published as a tool; `tool` is the prompt's own name. */
  readonly kind?: "prompt";
  /** Digest of what was, or has to be, accepted. */
  readonly pin?: string;
  /** It waits for somebody's word. */
  readonly withheld?: true;
  /** There is a grave finding in it. */
  readonly suspicious?: true;
}

/** What was accepted of one tool: its pin, and the definition that goes with it. */
export interface Accepted {
  readonly pin: string;
  readonly hash: string;
}

export interface ServerEntry {
  readonly name: string;
  /** Of this incarnation. */
  readonly id: string;
  readonly origin: "operator" | "agent" | "builtin";
  readonly transport: string;
  /** The agent that registered it, and the address it gave. */
  readonly owner?: string;
  readonly url?: string;
  readonly policy: ServerPolicy;
  /** Why the entry cannot be used. */
  readonly refused?: string;
  /** By `offerKey`, in the server's order: its tools, then its prompts. */
  readonly offers: ReadonlyMap<string, Offer>;
  /** By `offerKey`; kept while a tool is away. */
  readonly accepted: ReadonlyMap<string, Accepted>;
  /** Tools that somebody switched off at run time. */
  readonly disabled: readonly string[];
  readonly resources?: { readonly hash: string; readonly resources: number; readonly templates: number };
  /** Hash of the document in which the server describes itself. */
  readonly about?: string;
  /** What a model said of it, and of which surface that was. */
  readonly summary?: Summary;
}

export interface Summary {
  /** Of what the server offered then. */
  readonly fingerprint: string;
  /** Of the document. */
  readonly hash: string;
}

/** A prompt may bear the name of a tool of its server. */
export const offerKey = ({ tool, kind }: { readonly tool: string; readonly kind?: "prompt" | undefined }): string =>
  kind === undefined ? tool : `${kind}\n${tool}`;

/** The tools of a server without its prompts. */
export const toolsOf = (server: ServerEntry | undefined): Offer[] =>
  [...(server?.offers.values() ?? [])].filter(({ kind }) => kind === undefined);
export const promptsOf = ({ offers }: ServerEntry): Offer[] => [...offers.values()].filter(({ kind }) => kind === "prompt");

/** Of the definition of a tool that may be quoted: the accepted one while a newer one is withheld. */
export function tellableHash(server: ServerEntry | undefined, tool: string): string | undefined {
  const offer = server?.offers.get(tool);
  return offer?.withheld && !server?.policy.trusted ? server?.accepted.get(tool)?.hash : offer?.hash;
}

export interface Catalogue {
  /** Of the configuration in force. */
  readonly digest: string;
  readonly naming: "prefixed" | "bare";
  readonly limits: Limits;
  readonly surface: Surface;
  readonly policy: Policy;
  /** For servers without rules of their own: see `elicitationOf`. */
  readonly elicitation: Elicitation;
  readonly offer: TaskOffer;
  /** By lower-case name. */
  readonly servers: ReadonlyMap<string, ServerEntry>;
  /** Every published name. */
  readonly names: ReadonlyMap<string, Offer>;
}

/** Optional are what older logs do not know. */
type Complete<T> = { [K in keyof T]-?: NonNullable<T[K]> };

export const DEFAULT_LIMITS: Complete<Limits> = {
  slotsPerServer: 64,
  waitingPerServer: 256,
  twinMs: 86_400_000,
  defaultTimeoutMs: 55_000,
  progressTimeoutMs: 60_000,
  maxTimeoutMs: 900_000,
  questions: { perSession: 5, total: 50 },
  tasks: { perSession: 3, total: 20, timeoutMs: 3_600_000, pollMinMs: 500, pollMaxMs: 30_000, pollFailures: 10 },
};

export const DEFAULT_ELICITATION: Elicitation = {
  mode: "auto",
  maxPerCall: 3,
  defaults: {},
  deniedFields: [],
  responderTimeoutMs: 20_000,
  handbackTtlMinutes: 30,
};

export const DEFAULT_OFFER: TaskOffer = { offer: "auto", afterMs: 20_000, heartbeatMs: 10_000, perTool: {} };

export const DEFAULT_SURFACE: Surface = {
  wrapperMode: "pinned",
  profileModes: {},
  maxNameLength: 48,
  listAllUpTo: 40,
  maxActivatedTools: 40,
  maxPinnedServers: 3,
  activationIdleMs: 43_200_000,
  maxToolsPerRequest: 120,
  drift: { changed: "withhold", added: "warn" },
};

export const OPEN_POLICY: ServerPolicy = { allowedTools: [], deniedTools: [], capabilities: {}, trusted: false };

export const EMPTY_CATALOGUE: Catalogue = {
  digest: "",
  naming: "prefixed",
  limits: DEFAULT_LIMITS,
  surface: DEFAULT_SURFACE,
  policy: DEFAULT_POLICY,
  elicitation: DEFAULT_ELICITATION,
  offer: DEFAULT_OFFER,
  servers: new Map(),
  names: new Map(),
};

export const serverOf = (catalogue: Catalogue, name: string): ServerEntry | undefined => catalogue.servers.get(name.toLowerCase());

/** Where a server is: this incarnation, at its address. What is open there does not follow its name to another one. */
export const placeOf = ({ id, policy: { address } }: Pick<ServerEntry, "id" | "policy">): string => placeAt(id, address);
export const placeAt = (id: string, address: string | undefined): string => (address === undefined ? id : `${id}@${address}`);
/** A place that names no address was written down before there were any, or is that of an agent's server, which never moves. */
export const isAt = (server: Pick<ServerEntry, "id" | "policy"> | undefined, place: string): boolean =>
  server !== undefined && (place === placeOf(server) || place === server.id);
/** Undefined where there is no server of this name. */
export function placeIn(catalogue: Catalogue, name: string): string | undefined {
  const server = serverOf(catalogue, name);
  return server && placeOf(server);
}
/** Why what is open at a place cannot go on; undefined when it can. */
export const whyGone = (server: Pick<ServerEntry, "id" | "policy"> | undefined, place: string): string | undefined => {
  if (server?.id !== incarnationIn(place)) return "its server was removed";
  return isAt(server, place) ? undefined : "its server was pointed to another address";
};
/** Whatever its address. */
export const incarnationIn = (place: string): string => place.replace(/@.*/s, "");

/** The rules for the questions of a server: its own block as a whole, else the common one, which an agent's server has always. */
export function elicitationOf(catalogue: Catalogue, server: string): Elicitation {
  const entry = serverOf(catalogue, server);
  return (entry?.origin === "operator" ? entry.policy.elicitation : undefined) ?? catalogue.elicitation;
}

/** The bounds on open questions and on tasks, also of a configuration from before they were written down. */
export const questionLimits = ({ limits }: Catalogue): Complete<Limits>["questions"] => limits.questions ?? DEFAULT_LIMITS.questions;
export const taskLimits = ({ limits }: Catalogue): Complete<Limits>["tasks"] => limits.tasks ?? DEFAULT_LIMITS.tasks;
