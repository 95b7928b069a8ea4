/** The shape of one downstream server's entry, in our files and in an `mcp.json` of older spelling. */
import { z } from "zod";
import { GROUP_NAMES } from "../../actors/shell/groups.ts";
import { Capability } from "../../events/call.ts";
import { Label, Risk } from "../../events/policy.ts";
import type { GuardEntry } from "../observe/guards.ts";
import { AuthName } from "./auth-schema.ts";
import { ElicitationEntry, minutes } from "./question-schema.ts";

/** Server names become typed tool names, streams and paths. `__` separates a server from its tool. */
export const ServerName = z
  .string()
  .regex(
    /^(?!.*__)[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    "a server's name is 1 to 64 of A-Z a-z 0-9 _ . - , starts with a letter or digit and has no __",
  );

const ToolSettings = z.strictObject({
  capability: Capability.optional().describe(
    "What the tool may do: read, idempotent (may be repeated), mutating. The default is mutating.",
  ),
  risk: Risk.optional().describe("How much harm it can do: trivial, low, medium, high, critical."),
  labels: z
    .array(Label)
    .optional()
    .describe(
      "What it brings in or takes out: untrusted (words of strangers), private (data of your own), external (writes to the outside).",
    ),
  callOnce: z.boolean().optional().describe("A session may call it once."),
  operations: z
    .strictObject({
      param: z.string().min(1).describe("The parameter that says what the tool does."),
      capability: z.record(z.string().min(1), Capability).default({}).describe("By its values."),
      risk: z.record(z.string().min(1), Risk).default({}).describe("By its values."),
    })
    .optional()
    .describe("Of a tool that does several things: each is a name of its own, `tool:operation`."),
});
export type ToolSettings = z.output<typeof ToolSettings>;

const Written = z.strictObject({
  type: z
    .enum(["stdio", "http", "sse", "streamable-http"])
    .optional()
    .describe("May be left out: `command` means stdio, `url` means http."),
  command: z.string().min(1).optional().describe("The program to start; a relative path starts at the folder of this file."),
  args: z.array(z.string()).optional().describe("What the program is started with."),
  env: z
    .record(z.string().regex(/^[^=\0]+$/), z.string())
    .optional()
    .describe("Added to the allow-listed variables of our own environment."),
  cwd: z.string().min(1).optional().describe("Where the program starts; the default is the folder of this file."),
  url: z.string().min(1).optional().describe("The address of an http server."),
  transportMode: z.enum(["auto", "streamable-http", "sse"]).optional().describe("`auto` tries Streamable HTTP, then the older SSE."),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "not a header name"), z.string())
    .optional()
    .describe("Sent with every request; one whose value is empty is not."),
  auth: AuthName.optional().describe("The profile under `auth` that gets this server's token."),
  allowedTools: z.array(z.string()).default([]).describe("Empty: all. `deniedTools` beats it."),
  deniedTools: z.array(z.string()).default([]).describe("Tools of the server that are not offered; case does not count."),
  toolTimeoutMs: z.int().optional().describe("Capped at bridge.maxTimeoutMs; 0 or less is ignored with a warning."),
  trusted: z.boolean().default(false).describe("Believe the server's own hints about its tools."),
  disabled: z.boolean().default(false).describe("The entry is kept, the server is not connected to."),
  summary: z.string().trim().min(1).max(1000).optional().describe("What the server is for, as lists show it; also `description`."),
  argGuards: z
    .array(
      z.strictObject({
        handler: z.string().min(1).describe("path-prefix or shell-command"),
        tools: z.array(z.string().min(1)).default([]).describe("By the server's own names; empty: all."),
        options: z
          .record(z.string(), z.unknown())
          .default({})
          .describe(
            "Of path-prefix: args, allowedPrefixes, requireArgs. Of shell-command: args, requireArgs, and groups, which are all on: " +
              `${GROUP_NAMES.join(", ")}.`,
          ),
      }),
    )
    .default([])
    .describe("Checks over arguments before anything is sent; one that cannot be used refuses the server."),
  tools: z.record(z.string().min(1), ToolSettings).default({}).describe("By the server's own tool name; `*` is the rest."),
  elicitation: ElicitationEntry.optional().describe("Rules of its own for its questions, in the place of the common ones as a whole."),
  tasks: z.boolean().default(false).describe("Its calls may go on in the background, as tasks of the server."),
  taskTimeoutMinutes: minutes
    .optional()
    .describe("So long its tasks may take, instead of bridge.defaultTaskTimeoutMinutes; 0 or less is ignored with a warning."),
});
type Written = z.output<typeof Written>;

/** What decisions look at in an entry. */
export const PolicyFields = Written.pick({
  allowedTools: true,
  deniedTools: true,
  toolTimeoutMs: true,
  trusted: true,
  summary: true,
  argGuards: true,
  tools: true,
  elicitation: true,
  tasks: true,
  taskTimeoutMinutes: true,
});
export type PolicyFields = z.output<typeof PolicyFields>;

interface Common {
  readonly allowedTools: readonly string[];
  readonly deniedTools: readonly string[];
  readonly toolTimeoutMs?: number;
  readonly trusted: boolean;
  readonly disabled: boolean;
  readonly summary?: string;
  readonly argGuards: readonly GuardEntry[];
  readonly tools: Readonly<Record<string, ToolSettings>>;
  readonly elicitation?: ElicitationEntry;
  readonly tasks: boolean;
  readonly taskTimeoutMinutes?: number;
}
export interface StdioEntry extends Common {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}
export interface HttpEntry extends Common {
  readonly kind: "http";
  readonly url: string;
  readonly mode: "auto" | "streamable-http" | "sse";
  readonly headers: Readonly<Record<string, string>>;
  /** A profile of `auth`. */
  readonly auth?: string;
}
/** One server as configured: defaults filled in, references (`${env:NAME}` …) still as written. */
export type ServerEntry = StdioEntry | HttpEntry;

const ONLY_STDIO = ["command", "args", "env", "cwd"] as const;
const ONLY_HTTP = ["url", "transportMode", "headers", "auth"] as const;

function kindOf(entry: Written): "stdio" | "http" | undefined {
  if (entry.type !== undefined) return entry.type === "stdio" ? "stdio" : "http";
  if (entry.command !== undefined) return "stdio";
  return entry.url === undefined ? undefined : "http";
}

export const Server = Written.superRefine((entry, context) => {
  const kind = kindOf(entry);
  const report = (message: string, ...path: string[]) => context.addIssue({ code: "custom", path, message });
  if (kind === undefined) return report("a server needs `command` (a program to start) or `url` (an address to connect to)");
  const needed = kind === "stdio" ? "command" : "url";
  if (entry[needed] === undefined) report(`a server of type ${entry.type} needs \`${needed}\``);
  for (const key of kind === "stdio" ? ONLY_HTTP : ONLY_STDIO)
    if (entry[key] !== undefined) report(`belongs to ${kind === "stdio" ? "an http" : "a stdio"} server, this one is ${kind}`, key);
}).transform((entry): ServerEntry => {
  const { allowedTools, deniedTools, toolTimeoutMs, trusted, disabled, tools, summary, argGuards, elicitation, tasks } = entry;
  const timeout = toolTimeoutMs === undefined ? {} : { toolTimeoutMs };
  const described = summary === undefined ? {} : { summary };
  const { taskTimeoutMinutes } = entry;
  const asking = { tasks, ...(elicitation && { elicitation }), ...(taskTimeoutMinutes !== undefined && { taskTimeoutMinutes }) };
  const common = { allowedTools, deniedTools, trusted, disabled, tools, argGuards, ...timeout, ...described, ...asking };
  if (kindOf(entry) === "http") {
    const auth = entry.auth === undefined ? {} : { auth: entry.auth };
    return { kind: "http", url: entry.url ?? "", mode: entry.transportMode ?? "auto", headers: entry.headers ?? {}, ...auth, ...common };
  }
  const cwd = entry.cwd === undefined ? {} : { cwd: entry.cwd };
  return { kind: "stdio", command: entry.command ?? "", args: entry.args ?? [], env: entry.env ?? {}, ...cwd, ...common };
});

/** Every key of an entry. */
export const SERVER_KEYS: readonly string[] = Object.keys(Written.shape);
