/** What is configured and which tools exist: the facts that the catalogue is folded from. */
import { z } from "zod";
import { Capability } from "./call.ts";
import { defineEvent, type EventOf } from "./define.ts";
import { Elicitation } from "./elicitation.ts";
import { Label, Policy, Risk } from "./policy.ts";
import { toolEvents } from "./tools.ts";

/** Of a server's tool with several operations: which parameter names them, and what each may do. */
export const Operations = z.strictObject({
  param: z.string(),
  capability: z.record(z.string(), Capability),
  risk: z.record(z.string(), Risk),
});
export type Operations = z.output<typeof Operations>;

/** What decisions need of one server entry. Connection details stay in the operator's files. */
export const ServerPolicy = z.strictObject({
  /** Stands for its program and arguments, or its address, as written: another one is another server, whatever its name. */
  address: z.string().optional(),
  allowedTools: z.array(z.string()),
  deniedTools: z.array(z.string()),
  /** Operator settings by the server's tool name; "*" is the rest. */
  capabilities: z.record(z.string(), Capability),
  /** Whether the server's hints are believed. */
  trusted: z.boolean(),
  toolTimeoutMs: z.int().optional(),
  /** What the server is for, in the operator's words. */
  summary: z.string().optional(),
  /** Operator settings by the server's tool name; "*" is the rest. */
  risks: z.record(z.string(), Risk).optional(),
  labels: z.record(z.string(), z.array(Label)).optional(),
  /** Tools that a session may call once. */
  callOnce: z.array(z.string()).optional(),
  operations: z.record(z.string(), Operations).optional(),
  /** Judged at the door, over the original arguments. */
  argGuards: z
    .array(z.strictObject({ handler: z.string(), tools: z.array(z.string()), options: z.record(z.string(), z.unknown()) }))
    .optional(),
  /** Its own rules for questions, where they differ from the common ones. */
  elicitation: Elicitation.optional(),
  /** Its calls may go on in the background. */
  tasks: z.literal(true).optional(),
  taskTimeoutMs: z.int().optional(),
});
export type ServerPolicy = z.output<typeof ServerPolicy>;

export const Limits = z.strictObject({
  slotsPerServer: z.int(),
  waitingPerServer: z.int(),
  twinMs: z.int(),
  defaultTimeoutMs: z.int(),
  progressTimeoutMs: z.int(),
  maxTimeoutMs: z.int(),
  /** Questions that may be open at the same time. */
  questions: z.strictObject({ perSession: z.int(), total: z.int() }).optional(),
  tasks: z
    .strictObject({
      perSession: z.int(),
      total: z.int(),
      timeoutMs: z.int(),
      pollMinMs: z.int(),
      pollMaxMs: z.int(),
      /** So many polls that fail in a row lose a task. */
      pollFailures: z.int(),
    })
    .optional(),
});
export type Limits = z.output<typeof Limits>;

/** Which typed tools a session sees: none, all, those it activated, or those and the ones of the servers it called last. */
export const WrapperMode = z.enum(["off", "eager", "lazy", "pinned"]);
export type WrapperMode = z.output<typeof WrapperMode>;

/** How tools are shown to sessions, and what becomes of a definition that changed after it was accepted. */
export const Surface = z.strictObject({
  wrapperMode: WrapperMode,
  /** By profile, where it differs. */
  profileModes: z.record(z.string(), WrapperMode),
  maxNameLength: z.int(),
  /** In lazy and pinned: up to so many typed tools are all listed from the start. */
  listAllUpTo: z.int(),
  maxActivatedTools: z.int(),
  maxPinnedServers: z.int(),
  activationIdleMs: z.int(),
  /** No list is longer. */
  maxToolsPerRequest: z.int(),
  drift: z.strictObject({ changed: z.enum(["withhold", "warn"]), added: z.enum(["warn", "withhold"]) }),
});
export type Surface = z.output<typeof Surface>;

/** Whether calls of ours are offered to clients as tasks: when they outlive `afterMs`, never, or at once for tools named so. */
export const TaskOffer = z.strictObject({
  offer: z.enum(["auto", "never", "always"]),
  afterMs: z.int(),
  heartbeatMs: z.int(),
  /** By published name. */
  perTool: z.record(z.string(), z.enum(["auto", "never", "always"])),
});
export type TaskOffer = z.output<typeof TaskOffer>;

/** The configuration in force, references unresolved: what every later decision was judged by. Payload: the whole of it, for people. */
export const ConfigApplied = defineEvent(
  "config.applied",
  z.strictObject({
    digest: z.string(),
    limits: Limits,
    naming: z.enum(["prefixed", "bare"]),
    servers: z.record(z.string(), ServerPolicy),
    surface: Surface.optional(),
    policy: Policy.optional(),
    /** For servers without rules of their own. */
    elicitation: Elicitation.optional(),
    offer: TaskOffer.optional(),
  }),
);

export const ServerRegistered = defineEvent(
  "server.registered",
  z.strictObject({
    name: z.string(),
    id: z.string(),
    origin: z.enum(["operator", "agent", "builtin"]),
    transport: z.string(),
    /** The agent that registered it, and the address it gave. */
    owner: z.string().optional(),
    url: z.string().optional(),
  }),
);
/** An agent wants a server added: its address is looked at next. */
export const ServerProposed = defineEvent(
  "server.proposed",
  z.strictObject({ name: z.string(), owner: z.string(), transport: z.enum(["http", "sse"]), url: z.string() }),
);
export const ServerUnregistered = defineEvent("server.unregistered", z.strictObject({ name: z.string(), id: z.string() }));
/** The entry cannot be used: a missing reference, a bad guard. `reason` names it. */
export const ServerRefused = defineEvent(
  "server.refused",
  z.strictObject({ name: z.string(), reason: z.string(), /** Not an entry, only an agent's wish. */ proposal: z.literal(true).optional() }),
);

export const registryEvents = [ConfigApplied, ServerRegistered, ServerProposed, ServerUnregistered, ServerRefused, ...toolEvents] as const;
export type RegistryEvent = EventOf<(typeof registryEvents)[number]>;
