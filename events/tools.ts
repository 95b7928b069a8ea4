/** Which tools, prompts and resources the servers offer, which of their definitions were accepted, and which are held back. */
import { z } from "zod";
import { Capability } from "./call.ts";
import { defineEvent, type EventOf } from "./define.ts";

/** One tool as published: its name for agents, the server's own name, the hash of its definition, and what it may do unless the operator says otherwise. */
export const Offered = z.strictObject({
  name: z.string(),
  tool: z.string(),
  hash: z.string(),
  capability: Capability,
  readOnlyHint: z.literal(true).optional(),
  destructiveHint: z.literal(true).optional(),
  openWorldHint: z.literal(true).optional(),
  idempotentHint: z.literal(true).optional(),
  /** A prompt that is published as a tool. */
  kind: z.literal("prompt").optional(),
  /** Digest of what is accepted: name, title, description, schemas, annotations, and how the server is reached. */
  pin: z.string().optional(),
  /** It differs from what was accepted, or reads like an attack, and waits for somebody's word. */
  withheld: z.literal(true).optional(),
  /** There is a grave finding in it. */
  suspicious: z.literal(true).optional(),
});
export type Offered = z.output<typeof Offered>;

/** A server's surface changed: these tools are new or different. `skipped` could not get a name of their own. */
export const ToolsOffered = defineEvent(
  "tools.offered",
  z.strictObject({
    server: z.string(),
    tools: z.array(Offered),
    skipped: z.array(z.strictObject({ tool: z.string(), reason: z.string() })).optional(),
  }),
);
export const ToolsWithdrawn = defineEvent("tools.withdrawn", z.strictObject({ server: z.string(), names: z.array(z.string()) }));

/** What a server says of its resources and templates. `hash` names the document that holds both lists. */
export const ResourcesOffered = defineEvent(
  "resources.offered",
  z.strictObject({ server: z.string(), hash: z.string(), resources: z.int(), templates: z.int() }),
);
/** What a server says of itself: `hash` names the document with its implementation and its instructions. */
export const ServerDescribed = defineEvent("server.described", z.strictObject({ server: z.string(), hash: z.string() }));

/** A few sentences about what a server offers, by a model. `fingerprint` tells of which surface, `hash` names the document that holds them. */
export const ServerSummarised = defineEvent(
  "server.summarised",
  z.strictObject({ server: z.string(), id: z.string(), fingerprint: z.string(), hash: z.string() }),
);

const Definition = z.strictObject({
  server: z.string(),
  tool: z.string(),
  kind: z.literal("prompt").optional(),
  /** Of the definition as it is now. */
  hash: z.string(),
  /** Of the definition that was accepted before. */
  previous: z.string().optional(),
});

/** A definition is not the one that was accepted. `fields` names the parts that differ, "server" standing for how the server is reached. */
export const ToolChanged = defineEvent(
  "tool.changed",
  Definition.extend({ change: z.enum(["changed", "added"]), fields: z.array(z.string()) }),
);
/** A definition holds what a definition should not: orders to the reader, hidden characters, names of others. Payload: pieces of the text. */
export const ToolFlagged = defineEvent(
  "tool.flagged",
  Definition.omit({ previous: true }).extend({
    findings: z.array(z.strictObject({ kind: z.string(), severity: z.enum(["low", "medium", "high"]), where: z.string() })),
  }),
);
/** It is hidden and cannot be called until somebody accepts it. */
export const ToolWithheld = defineEvent("tool.withheld", Definition);
export const ToolAccepted = defineEvent("tool.accepted", Definition.extend({ pin: z.string(), by: z.string() }));

const Switched = z.strictObject({ server: z.string(), tool: z.string(), by: z.string() });
/** Somebody switched one tool off, or on again, at run time. */
export const ToolDisabled = defineEvent("tool.disabled", Switched);
export const ToolEnabled = defineEvent("tool.enabled", Switched);

export const toolEvents = [
  ToolsOffered,
  ToolsWithdrawn,
  ResourcesOffered,
  ServerDescribed,
  ServerSummarised,
  ToolChanged,
  ToolFlagged,
  ToolWithheld,
  ToolAccepted,
  ToolDisabled,
  ToolEnabled,
] as const;
export type ToolEvent = EventOf<(typeof toolEvents)[number]>;
