/** Definitions by their hash: stored once in the log, parsed once in memory. */
import { type Offer, offerKey } from "../../actors/catalogue.ts";
import type { Declared } from "../../actors/registry-commands.ts";
import type { Finding } from "../../actors/scan/finding.ts";
import type { Log } from "../log/log.ts";
import type { PromptDefinition, ToolDefinition } from "../mcp/downstream/definitions.ts";
import { canonicalize } from "../observe/canonical.ts";
import { mapStrings } from "../secrets/leaves.ts";

type Parts = Readonly<Record<string, unknown>>;

const NAME_SUFFIX_DIGITS = 8;
/** What an acceptance is about. */
const PINNED = ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "arguments"] as const;
const sha256 = (text: string): string => Bun.SHA256.hash(text, "hex");

/** A server as far as its definitions go. */
export interface Declaring {
  readonly name: string;
  /** Of its incarnation. */
  readonly id: string;
  /** Digest of how it is reached: its argv or its url, as written. */
  readonly address: string;
}

export interface Definitions {
  of(hash: string): ToolDefinition | undefined;
  /** Any document that was stored. */
  document(hash: string): unknown;
  /** Stores what a downstream server declares; whatever it may do is up to the operator. */
  declare(server: Declaring, tool: ToolDefinition): Declared;
  declarePrompt(server: Declaring, prompt: PromptDefinition): Declared;
  /** Stores a built-in tool. */
  declareBuiltin(tool: ToolDefinition, capability: Declared["capability"]): Declared;
  /** Stores any JSON document; returns its hash. */
  declareDocument(document: unknown): string;
}

export interface DefinitionPorts {
  readonly log: Pick<Log, "define" | "definition">;
  /** Takes secrets out of every text of a definition but its keys: a schema shows a secret as well as a description does. */
  readonly redact: (text: string) => string;
  /** The definition of this server that was accepted before, by `offerKey`. */
  readonly acceptedOf: (server: string, key: string) => { readonly hash: string; readonly pin: string } | undefined;
  /** What of this server is offered now, by `offerKey`. */
  readonly offeredOf: (server: string, key: string) => Pick<Offer, "hash" | "suspicious"> | undefined;
  /** Judges a definition that is new. */
  readonly scan: (server: string, tool: string, document: Parts) => readonly Finding[];
}

export function createDefinitions({ log, redact, acceptedOf, offeredOf, scan }: DefinitionPorts): Definitions {
  const parsed = new Map<string, unknown>();
  const store = (declared: unknown): string => {
    const document = mapStrings(declared, { text: redact, tooDeep: () => ({}), exempt: false });
    const json = canonicalize(document, "escape");
    const hash = sha256(json);
    if (!parsed.has(hash)) {
      parsed.set(hash, document);
      if (log.definition(hash) === undefined) log.define(hash, json);
    }
    return hash;
  };
  const document = (hash: string): unknown => {
    if (parsed.has(hash)) return parsed.get(hash);
    const json = log.definition(hash);
    if (json === undefined) return undefined;
    const read: unknown = JSON.parse(json);
    parsed.set(hash, read);
    return read;
  };
  const pinnedParts = (definition: unknown) => {
    const parts = (definition ?? {}) as Parts;
    return Object.fromEntries(PINNED.flatMap((part) => (parts[part] === undefined ? [] : [[part, canonicalize(parts[part], "escape")]])));
  };
  const declared = ({ name, id, address }: Declaring, of: Pick<Declared, "tool" | "kind">, raw: unknown) => {
    const hash = store(raw);
    // Of what the server says, not of what we store: a secret that becomes known later changes nothing that was accepted.
    const pin = sha256(canonicalize({ ...pinnedParts(raw), address }, "escape"));
    const parts = pinnedParts(document(hash));
    const accepted = acceptedOf(name, offerKey(of));
    const before = accepted && accepted.pin !== pin ? pinnedParts(document(accepted.hash)) : undefined;
    const offered = offeredOf(name, offerKey(of));
    const findings = offered?.hash === hash ? [] : scan(name, of.tool, (document(hash) ?? {}) as Parts);
    const isSuspicious = offered?.hash === hash ? offered.suspicious : findings.some(({ severity }) => severity === "high");
    const differ = before && PINNED.filter((part) => before[part] !== parts[part]);
    return {
      ...of,
      hash,
      suffix: sha256(`${id}\n${offerKey(of)}`).slice(0, NAME_SUFFIX_DIGITS),
      pin,
      ...(differ && { fields: differ.length > 0 ? differ : ["server"] }),
      ...(findings.length > 0 && { findings }),
      ...(isSuspicious && { suspicious: true as const }),
    };
  };
  return {
    of: (hash) => document(hash) as ToolDefinition | undefined,
    document,
    declare: (server, tool) => ({
      ...declared(server, { tool: tool.name }, tool),
      capability: "mutating",
      ...(tool.annotations?.["readOnlyHint"] === true && { readOnlyHint: true as const }),
      ...(tool.annotations?.["destructiveHint"] === true && { destructiveHint: true as const }),
      ...(tool.annotations?.["openWorldHint"] === true && { openWorldHint: true as const }),
      ...(tool.annotations?.["idempotentHint"] === true && { idempotentHint: true as const }),
    }),
    declarePrompt: (server, prompt) => ({ ...declared(server, { tool: prompt.name, kind: "prompt" }, prompt), capability: "read" }),
    declareBuiltin: (tool, capability) => ({ tool: tool.name, hash: store(tool), suffix: "", capability }),
    declareDocument: store,
  };
}
