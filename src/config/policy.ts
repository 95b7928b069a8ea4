/** What decisions need of the configuration, and the whole of it in a form that may be written down. */
import type { Limits, ServerPolicy, Surface } from "../../events/registry.ts";
import { mapProfile } from "./auth.ts";
import type { HookEntry } from "./hook-schema.ts";
import { mapTiers } from "./llm.ts";
import type { ProfileEntry } from "./policy-schema.ts";
import type { Config, PlacedEntry } from "./schema.ts";
import { maskLiterals, type Rules } from "./secrets.ts";
import type { PolicyFields, ToolSettings } from "./server-schema.ts";
import { mapTexts } from "./texts.ts";

const DEFAULT_TIMEOUT_MS = 55_000; // clients give up after 60 s when they hear nothing
const PROGRESS_TIMEOUT_MS = 60_000;

/** Limits and deadlines, none longer than `bridge.maxTimeoutMs`. */
export function limitsOf({ limits: { slotsPerServer, waitingPerServer, twinMs }, bridge }: Config): Limits {
  const { defaultTimeoutMs, maxTimeoutMs } = bridge;
  const atMost = (ms: number) => Math.min(ms, maxTimeoutMs);
  return {
    slotsPerServer,
    waitingPerServer,
    twinMs,
    defaultTimeoutMs: atMost(defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS),
    progressTimeoutMs: atMost(defaultTimeoutMs ?? PROGRESS_TIMEOUT_MS),
    maxTimeoutMs,
  };
}

/** How tools are shown to sessions. */
export function surfaceOf({ bridge, profiles }: Config): Surface {
  const { wrapperMode, maxNameLength, listAllUpTo, activationIdleMs, maxToolsPerRequest, drift } = bridge;
  const modes = Object.entries(profiles).flatMap(([name, profile]) => (profile.wrapperMode ? [[name, profile.wrapperMode] as const] : []));
  return {
    wrapperMode,
    profileModes: Object.fromEntries(modes),
    maxNameLength,
    listAllUpTo,
    maxActivatedTools: bridge.maxActivatedToolsPerSession,
    maxPinnedServers: bridge.maxPinnedServersPerSession,
    activationIdleMs,
    maxToolsPerRequest,
    drift,
  };
}

/** The policy of every server that is not disabled, by its name. */
export function serverPolicies({ mcpServers, bridge }: Config): Record<string, ServerPolicy> {
  const enabled = Object.entries(mcpServers).filter(([, entry]) => !entry.disabled);
  return Object.fromEntries(enabled.map(([name, entry]) => [name, serverPolicyOf(entry, bridge.maxTimeoutMs)]));
}

export function serverPolicyOf(
  entry: { readonly [K in keyof PolicyFields]: PlacedEntry[K] | PolicyFields[K] },
  maxTimeoutMs: number,
): ServerPolicy {
  const { allowedTools, deniedTools, trusted, toolTimeoutMs, tools, summary, argGuards } = entry;
  const timeout = toolTimeoutMs === undefined || toolTimeoutMs <= 0 ? {} : { toolTimeoutMs: Math.min(toolTimeoutMs, maxTimeoutMs) };
  const described = summary === undefined ? {} : { summary };
  const guards = argGuards.length > 0 && {
    argGuards: argGuards.map(({ handler, tools: of, options }) => ({ handler, tools: [...of], options })),
  };
  const lists = { allowedTools: [...allowedTools], deniedTools: [...deniedTools] };
  const callOnce = Object.entries(tools).flatMap(([tool, settings]) => (settings.callOnce ? [tool] : []));
  return {
    ...lists,
    capabilities: pick(tools, ({ capability }) => capability),
    trusted,
    ...timeout,
    ...described,
    ...guards,
    ...ifAny(
      "risks",
      pick(tools, ({ risk }) => risk),
    ),
    ...ifAny(
      "labels",
      pick(tools, ({ labels }) => labels && [...labels]),
    ),
    ...(callOnce.length > 0 && { callOnce }),
    ...ifAny(
      "operations",
      pick(tools, ({ operations }) => operations),
    ),
  };
}

/** One setting of the tools that have it. */
function pick<T>(tools: Readonly<Record<string, ToolSettings>>, setting: (of: ToolSettings) => T | undefined): Record<string, T> {
  const entries = Object.entries(tools).flatMap(([tool, settings]) => {
    const value = setting(settings);
    return value === undefined ? [] : [[tool, value] as const];
  });
  return Object.fromEntries(entries);
}
const ifAny = <K extends string, T>(key: K, found: Record<string, T>): { [key in K]?: Record<string, T> } =>
  Object.keys(found).length > 0 ? ({ [key]: found } as { [key in K]: Record<string, T> }) : {};

export interface Redaction {
  readonly family?: Rules["family"];
  /** What stands in place of a secret that is written out in a file. */
  readonly mask?: (secret: string) => string;
}

/** The configuration with its references unresolved and the secrets that stand in it as text masked: for the log, `config show` and the views. */
export function redactedConfig(config: Config, { family, mask = () => "[REDACTED literal]" }: Redaction = {}): Config {
  const rules: Rules = { ...config.secrets, ...(family === undefined ? {} : { family }) };
  const entries = Object.entries(config.mcpServers).map(([name, entry]) => [
    name,
    mapTexts(name, entry, (text) => maskLiterals(text, rules, mask)),
  ]);
  const seeds = Object.entries(config.bridge.defaultServers).map(([name, url]) => [
    name,
    maskLiterals({ key: "", template: url }, rules, mask),
  ]);
  const bridge = { ...config.bridge, defaultServers: Object.fromEntries(seeds) };
  const profiles = Object.entries(config.auth).map(([name, entry]) => [
    name,
    mapProfile(name, entry, (text) => maskLiterals(text, rules, mask)),
  ]);
  const llm = mapTiers(config.llm, (text) => maskLiterals(text, rules, mask));
  const judging = redactedJudging(config, (template) => maskLiterals({ key: "", template }, rules, mask));
  return { ...config, ...judging, bridge, mcpServers: Object.fromEntries(entries), auth: Object.fromEntries(profiles), llm };
}

/** Addresses of webhooks and hooks, and what hooks run. */
function redactedJudging({ approvals, profiles, hooks }: Config, masked: (text: string) => string) {
  const withWebhook = <T extends { webhook?: string | undefined }>(of: T): T =>
    of.webhook === undefined ? of : { ...of, webhook: masked(of.webhook) };
  const hookOf = (hook: HookEntry): HookEntry => ({
    ...hook,
    ...(hook.url !== undefined && { url: masked(hook.url) }),
    ...(hook.command && { command: hook.command.map(masked) }),
  });
  const profileOf = (profile: ProfileEntry): ProfileEntry =>
    profile.approvals === undefined ? profile : { ...profile, approvals: withWebhook(profile.approvals) };
  return {
    approvals: withWebhook(approvals),
    profiles: Object.fromEntries(Object.entries(profiles).map(([name, profile]) => [name, profileOf(profile)])),
    hooks: { preToolUse: hooks.preToolUse.map(hookOf), postToolUse: hooks.postToolUse.map(hookOf) },
  };
}
