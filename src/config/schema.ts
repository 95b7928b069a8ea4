/** The configuration: one schema, from which the types, the checks and the printed JSON Schema come. Unknown keys are errors. */
import { z } from "zod";
import { AuthProfiles } from "./auth-schema.ts";
import { Bridge } from "./bridge-schema.ts";
import { Hooks } from "./hook-schema.ts";
import { LlmTiers } from "./llm-schema.ts";
import { PersonName } from "./people-names.ts";
import { Approvals, PolicyEntry, ProfileEntry, topLimits } from "./policy-schema.ts";
import { ElicitationEntry, Tasks } from "./question-schema.ts";
import { Server, type ServerEntry, ServerName } from "./server-schema.ts";

/** HOST:PORT, an IPv6 address in brackets; port 0 takes a free one. */
const ADDRESS = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const Address = z.string().regex(ADDRESS, "expected HOST:PORT, for example 127.0.0.1:7420 or [::1]:7420");

export interface Listen {
  readonly host: string;
  readonly port: number;
  /** Names that clients may use in `Host` beside the address itself (a container behind a name needs it). */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

const Listen = z
  .union([
    Address,
    z.strictObject({
      address: Address.default("127.0.0.1:7420"),
      allowedHosts: z.array(z.string().min(1)).default([]).describe("Further names that may stand in the Host header."),
      allowedOrigins: z.array(z.string().min(1)).default([]).describe("Web origins that may call, e.g. https://app.example."),
    }),
  ])
  .transform((written, context): Listen => {
    const { address, allowedHosts, allowedOrigins } =
      typeof written === "string" ? { address: written, allowedHosts: [], allowedOrigins: [] } : written;
    const parsed = parseAddress(address);
    if (parsed !== undefined) return { ...parsed, allowedHosts, allowedOrigins };
    context.addIssue({ code: "custom", message: "a port is a number from 0 to 65535" });
    return z.NEVER;
  });

/** `127.0.0.1:7420` → host and port (IPv6 without its brackets); undefined when it is none. */
export function parseAddress(address: string): { host: string; port: number } | undefined {
  const [, host, port] = ADDRESS.exec(address) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

const TokenHash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, "expected sha256: and 64 hex digits, the hash of the token (never the token itself)");

const Agent = z.strictObject({
  name: PersonName,
  tokenHash: TokenHash,
  profile: z.string().optional().describe("One of `profiles`, or default, supervised or restricted."),
  host: z.boolean().optional().describe("True for a program that runs the agent and may record what its user said."),
});
export type Agent = z.output<typeof Agent>;

const Operator = z.strictObject({ name: PersonName, tokenHash: TokenHash, roles: z.array(z.enum(["view", "decide", "admin"])).min(1) });
export type Operator = z.output<typeof Operator>;

const Limits = z.strictObject({
  slotsPerServer: z.int().min(1).max(4_000).default(64).describe("Calls that run at one server at the same time."),
  waitingPerServer: z.int().min(0).max(4_000).default(256).describe("Calls that wait for a slot; more are refused as overloaded."),
  twinMs: z.int().min(0).default(86_400_000).describe("How long a call in doubt blocks an identical one of the same agent. 0: never."),
  ...topLimits,
});

/** A name as in `env` or `headers`, or one reference: never the secret itself. */
const SecretName = z
  .string()
  .regex(/^(?:[A-Za-z_][\w.-]*|\$\{[^}]+\})$/, `expected a name or one reference such as \${env:NAME}, never the value itself`);
const Secrets = z.strictObject({
  register: z.array(SecretName).default([]).describe("Names of variables or keys, or references, whose values are secrets."),
  ignore: z.array(SecretName).default([]).describe("Names of variables or keys whose values are not."),
  families: z
    .record(z.string(), z.boolean())
    .default({})
    .describe("Kinds of secrets by their looks; false: they are not looked for. Registered secrets always are."),
});

/** A file of servers only, as `mcpConfig` names it. */
export const ServersFile = z.strictObject({ $schema: z.string().optional(), mcpServers: z.record(ServerName, Server).default({}) });

/** The main file as written. */
export const MainFile = z.strictObject({
  $schema: z.string().optional().describe("For editors."),
  listen: Listen.prefault("127.0.0.1:7420"),
  agents: z.array(Agent).default([]),
  operators: z.array(Operator).default([]),
  policy: PolicyEntry.prefault({}),
  profiles: z.record(PersonName, ProfileEntry).default({}),
  limits: Limits.prefault({}),
  approvals: Approvals.prefault({}),
  hooks: Hooks.prefault({}),
  mcpServers: z.record(ServerName, Server).default({}),
  mcpConfig: z
    .union([z.string().min(1), z.array(z.string().min(1))])
    .optional()
    .describe("Files that hold more mcpServers; the default is mcp.json beside this file, if there is one."),
  auth: AuthProfiles,
  llm: LlmTiers.default({}),
  bridge: Bridge.prefault({}),
  elicitation: ElicitationEntry.prefault({}),
  tasks: Tasks.prefault({}),
  secrets: Secrets.prefault({}),
});
export type MainFile = z.output<typeof MainFile>;

/** A server's entry and the file that names it; relative paths start at `folder`. */
export type PlacedEntry = ServerEntry & { readonly file: string; readonly folder: string };

/** The whole configuration: every file merged, defaults filled in, references still as written. */
export type Config = Omit<MainFile, "$schema" | "mcpConfig" | "mcpServers"> & {
  readonly mcpServers: Readonly<Record<string, PlacedEntry>>;
};

/** The JSON Schema (draft 2020-12) of the main file, for editors and for `config schema`. */
export function configJsonSchema(): Record<string, unknown> {
  return { title: "toolcrib configuration", ...z.toJSONSchema(MainFile, { io: "input" }) };
}
