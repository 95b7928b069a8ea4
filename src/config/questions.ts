/** The rules for questions and tasks, as the configuration has them, for the event: every default filled in, and no secret in it. */
import { DEFAULT_ELICITATION, DEFAULT_LIMITS } from "../../actors/catalogue.ts";
import type { Elicitation } from "../../events/elicitation.ts";
import type { Limits, TaskOffer } from "../../events/registry.ts";
import { isObject } from "./known-keys.ts";
import type { ElicitationEntry } from "./question-schema.ts";
import type { Config } from "./schema.ts";
import { isOrdinary } from "./secret-values.ts";
import { maskLiterals, type Redaction, type Rules, rulesOf } from "./secrets.ts";

const MINUTE_MS = 60_000;
/** Nobody answers to it. */
const NOBODY = "none";

/** Of a server's own block, which stands in the place of the common one as a whole. */
export function ownElicitation(entry: ElicitationEntry, rules: Rules): Elicitation {
  const { mode, maxPerCall, defaults, deniedFields, responderTimeoutMs, responder = "", handbackTtlMinutes } = entry;
  const secret = new Set(secretDefaults(entry, rules));
  return {
    mode,
    maxPerCall,
    defaults: Object.fromEntries(Object.entries(defaults).filter(([name]) => !secret.has(name))),
    deniedFields: [...deniedFields],
    responderTimeoutMs: Math.max(0, responderTimeoutMs),
    ...(responder.trim() !== "" && { responder: responder.trim() }),
    handbackTtlMinutes: handbackTtlMinutes > 0 ? handbackTtlMinutes : DEFAULT_ELICITATION.handbackTtlMinutes,
  };
}

/** For all servers without a block: they may be strangers, so no question goes to the agent, and nobody reads the conversation for them. */
export function commonElicitation(
  { elicitation, secrets }: Pick<Config, "elicitation" | "secrets">,
  redaction: Redaction = {},
): Elicitation {
  const own = ownElicitation(elicitation, rulesOf(secrets, redaction));
  return {
    ...own,
    mode: own.mode === "handback" ? "auto" : own.mode,
    ...(isConversation(own.responder) && { responder: NOBODY }),
  };
}

/** Nobody is asked by this name unless a server says so itself. */
export const isConversation = (responder: string | undefined): boolean => responder?.trim().toLowerCase() === "conversation";

/** Names of the defaults that must not be written down, so nothing is answered with them. */
export const secretDefaults = ({ defaults }: Pick<ElicitationEntry, "defaults">, rules: Rules): string[] =>
  Object.entries(defaults).flatMap(([name, value]) => {
    let isSecret = false;
    const notice = () => {
      isSecret = true;
      return "";
    };
    masked(name, value, rules, notice);
    return isSecret ? [name] : [];
  });

/** The same block with the secrets among its defaults masked. */
export function maskDefaults(entry: ElicitationEntry, rules: Rules, mask: (secret: string) => string): ElicitationEntry {
  const defaults = Object.entries(entry.defaults).map(([name, value]) => [name, masked(name, value, rules, mask)]);
  return { ...entry, defaults: Object.fromEntries(defaults) };
}

/** Texts and numbers under the name that is next to them. No reference is looked up in them, so what looks like one is text. */
function masked(key: string, value: unknown, rules: Rules, mask: (secret: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(key, item, rules, mask));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, masked(name, inside, rules, mask)]));
  if ((typeof value !== "string" && typeof value !== "number") || isOrdinary(key, String(value))) return value;
  let isSecret = false;
  const changed = maskLiterals({ key, template: String(value) }, rules, (secret) => {
    isSecret = true;
    return mask(secret);
  });
  return isSecret ? changed : value;
}

/** Whether calls are offered to clients as tasks. */
export const offerOf = ({ tasks: { offer, offerAfterMs, heartbeatMs, perTool } }: Pick<Config, "tasks">): TaskOffer => ({
  offer,
  afterMs: offerAfterMs,
  heartbeatMs,
  perTool,
});

/** Of what may be open at the same time, and how servers are asked about their tasks. */
export const questionLimitsOf = ({ bridge }: Pick<Config, "bridge">): Required<Pick<Limits, "questions" | "tasks">> => ({
  questions: { perSession: bridge.maxPendingQuestionsPerSession, total: bridge.maxPendingQuestions },
  tasks: {
    perSession: bridge.maxTasksPerSession,
    total: bridge.maxTasks,
    timeoutMs: timeoutMsOf(bridge.defaultTaskTimeoutMinutes) ?? DEFAULT_LIMITS.tasks.timeoutMs,
    pollMinMs: bridge.taskPollMinMs,
    pollMaxMs: Math.max(bridge.taskPollMinMs, bridge.taskPollMaxMs),
    pollFailures: bridge.taskPollFailureLimit,
  },
});

/** Undefined where nothing is said, or nothing that can be meant. */
export const timeoutMsOf = (minutes: number | undefined): number | undefined =>
  minutes !== undefined && minutes > 0 ? Math.max(1, Math.round(minutes * MINUTE_MS)) : undefined;
