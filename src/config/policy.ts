/** What decisions need of the configuration. */
import type { Limits, ServerPolicy, Surface } from "../../events/registry.ts";
import { ownElicitation, questionLimitsOf, timeoutMsOf } from "./questions.ts";
import type { Config, PlacedEntry } from "./schema.ts";
import { type Redaction, type Rules, rulesOf } from "./secrets.ts";
import type { PolicyFields, ToolSettings } from "./server-schema.ts";

const DEFAULT_TIMEOUT_MS = 55_000; // clients give up after 60 s when they hear nothing
const PROGRESS_TIMEOUT_MS = 60_000;

/** Limits and deadlines, none longer than `bridge.maxTimeoutMs`. */
export function limitsOf(config: Config): Limits {
  const { limits, bridge } = config;
  const { slotsPerServer, waitingPerServer, twinMs } = limits;
  const { defaultTimeoutMs, maxTimeoutMs } = bridge;
  const atMost = (ms: number) => Math.min(ms, maxTimeoutMs);
  return {
    slotsPerServer,
    waitingPerServer,
    twinMs,
    defaultTimeoutMs: atMost(defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS),
    progressTimeoutMs: atMost(defaultTimeoutMs ?? PROGRESS_TIMEOUT_MS),
    maxTimeoutMs,
    ...questionLimitsOf(config),
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
export function serverPolicies({ mcpServers, bridge, secrets }: Config, redaction: Redaction = {}): Record<string, ServerPolicy> {
  const rules = rulesOf(secrets, redaction);
  const enabled = Object.entries(mcpServers).filter(([, entry]) => !entry.disabled);
  return Object.fromEntries(enabled.map(([name, entry]) => [name, serverPolicyOf(entry, bridge.maxTimeoutMs, rules)]));
}

export function serverPolicyOf(
  entry: { readonly [K in keyof PolicyFields]: PlacedEntry[K] | PolicyFields[K] },
  maxTimeoutMs: number,
  rules: Rules,
): ServerPolicy {
  const { allowedTools, deniedTools, trusted, toolTimeoutMs, tools, summary, argGuards, elicitation } = entry;
  const taskTimeoutMs = timeoutMsOf(entry.taskTimeoutMinutes);
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
    ...(elicitation && { elicitation: ownElicitation(elicitation, rules) }),
    ...(entry.tasks && { tasks: true as const }),
    ...(taskTimeoutMs !== undefined && { taskTimeoutMs }),
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
