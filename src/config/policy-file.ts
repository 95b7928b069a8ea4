/** A file that holds nothing but rules, for trying them out: what it would change of a configuration that was in force. */
import { z } from "zod";
import { DEFAULT_SURFACE, OPEN_POLICY } from "../../actors/catalogue.ts";
import { DEFAULT_POLICY } from "../../actors/policy/defaults.ts";
import type { EventOf } from "../../events/define.ts";
import type { Policy } from "../../events/policy.ts";
import type { ConfigApplied, ServerPolicy, Surface } from "../../events/registry.ts";
import { guardFault } from "../observe/guards.ts";
import { problemAt } from "./checks.ts";
import type { Document } from "./jsonc.ts";
import { policyOf } from "./judged.ts";
import { isObject } from "./known-keys.ts";
import { serverPolicyOf } from "./policy.ts";
import { checkPolicy } from "./policy-checks.ts";
import type { Problem } from "./problems.ts";
import { MainFile } from "./schema.ts";
import { PolicyFields, ServerName } from "./server-schema.ts";
import { validate } from "./validate.ts";

/** Each key replaces the configuration's key as a whole. */
const PolicyFile = MainFile.pick({ $schema: true, policy: true, profiles: true, limits: true, approvals: true, hooks: true }).extend({
  mcpServers: z.record(ServerName, PolicyFields).default({}),
});
type PolicyFile = z.output<typeof PolicyFile>;

export type Applied = EventOf<typeof ConfigApplied>["data"];
/** `written`: the payload of the event, the whole configuration, where there is one. */
export type ConfigChange = (applied: Applied, written: unknown) => Applied;

interface Read {
  readonly change: ConfigChange;
  readonly warnings: readonly Problem[];
}
const DEFAULTS = MainFile.parse({});
const NO_RULES = { register: [], ignore: [] };
/** Of a server; they say how its calls go on, not whether they may begin. */
const NOT_DECIDED = ["elicitation", "tasks", "taskTimeoutMinutes"] as const;

/** `naming`: how the tools of the configuration that is to be changed are named. */
export function readPolicyFile(document: Document, naming: Applied["naming"]): Read | { readonly errors: readonly Problem[] } {
  const read = validate(PolicyFile, document);
  if ("problems" in read) return { errors: read.problems };
  const file = read.value;
  const errors = [...namesIn(document, file, naming), ...guardsIn(document, file)];
  if (errors.length > 0) return { errors };
  const given = new Set(Object.keys(isObject(document.value) ? document.value : {}).map((key) => key.toLowerCase()));
  const warnings = [
    ...read.warnings,
    ...ignoredOf(document, file),
    ...(given.has("limits") ? [problemAt(document, ["limits"], "is ignored: what counts calls is not decided again")] : []),
  ];
  return { warnings, change: (applied, written) => changed(applied, written, file, (key) => given.has(key.toLowerCase())) };
}

/** Who may approve stands in another part of the configuration, and so do the servers that names may be about. */
function namesIn(document: Document, file: PolicyFile, naming: Applied["naming"]): readonly Problem[] {
  const seats = [file.approvals, ...Object.values(file.profiles).map(({ approvals }) => approvals)].flatMap((one) => one?.approvers ?? []);
  const operators = seats.map((name) => ({ name, tokenHash: "", roles: ["decide" as const] }));
  return checkPolicy(document, { ...DEFAULTS, ...file, mcpServers: {}, operators, bridge: { ...DEFAULTS.bridge, naming } }, []).errors;
}

const ignoredOf = (document: Document, { mcpServers }: PolicyFile): Problem[] =>
  Object.entries(mcpServers).flatMap(([name, entry]) =>
    NOT_DECIDED.filter((key) => entry[key] !== undefined && entry[key] !== false).map((key) =>
      problemAt(document, ["mcpServers", name, key], "is ignored: what becomes of a call that was sent is not decided again"),
    ),
  );

const guardsIn = (document: Document, { mcpServers }: PolicyFile): Problem[] =>
  Object.entries(mcpServers).flatMap(([name, { argGuards }]) => {
    const fault = guardFault(argGuards);
    return fault === undefined ? [] : [problemAt(document, ["mcpServers", name, "argGuards"], `cannot be used: ${fault}`)];
  });

function changed(applied: Applied, written: unknown, file: PolicyFile, isGiven: (key: keyof PolicyFile) => boolean): Applied {
  const before = applied.policy ?? DEFAULT_POLICY;
  const kept = isObject(written) ? written : {};
  const read = <K extends "profiles" | "approvals">(key: K): PolicyFile[K] => {
    if (isGiven(key)) return file[key];
    const parsed = PolicyFile.shape[key].safeParse(kept[key]);
    return (parsed.success ? parsed.data : DEFAULTS[key]) as PolicyFile[K];
  };
  const judged = policyOf({ ...DEFAULTS, ...file, profiles: read("profiles"), approvals: read("approvals") });
  const { global, rules, egress, classification, preToolUse, postToolUse } = judged;
  const policy: Policy = {
    ...before,
    ...(isGiven("policy") && { global, rules, egress, classification }),
    ...(isGiven("approvals") && { profiles: withApprovals(before.profiles, judged.profiles) }),
    ...(isGiven("profiles") && { profiles: judged.profiles }),
    ...(isGiven("hooks") && { preToolUse, postToolUse }),
  };
  const surface = isGiven("profiles") && { surface: withModes(applied.surface ?? DEFAULT_SURFACE, file) };
  return { ...applied, policy, ...surface, ...(isGiven("mcpServers") && { servers: serversOf(applied, file) }) };
}

const withApprovals = (profiles: Policy["profiles"], judged: Policy["profiles"]): Policy["profiles"] =>
  Object.fromEntries(
    Object.entries(profiles).map(([name, profile]) => {
      const { approvals } = (Object.hasOwn(judged, name) ? judged[name] : judged["default"]) ?? profile;
      return [name, { ...profile, approvals }];
    }),
  );

const withModes = (surface: Surface, { profiles }: PolicyFile): Surface => ({
  ...surface,
  profileModes: Object.fromEntries(
    Object.entries(profiles).flatMap(([name, { wrapperMode }]) => (wrapperMode === undefined ? [] : [[name, wrapperMode]])),
  ),
});

/** A server that the file does not name has no settings any more. The built-in one never had any. */
function serversOf({ servers, limits }: Applied, { mcpServers }: PolicyFile): Record<string, ServerPolicy> {
  const written = Object.entries(mcpServers).map(([name, entry]) => [name, serverPolicyOf(entry, limits.maxTimeoutMs, NO_RULES)] as const);
  const names = new Set(written.map(([name]) => name.toLowerCase()));
  const others = Object.keys(servers).filter((name) => !names.has(name.toLowerCase()));
  return Object.fromEntries([...others.map((name) => [name, OPEN_POLICY] as const), ...written]);
}
