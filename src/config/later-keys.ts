/** Keys that the documentation of later releases names. They get a clear refusal here: a key that is accepted has an effect. */
import type { KeyPath } from "./problems.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const TOP = words("policy elicitation tasks tools results telemetry retention web sandbox approvals hooks");
const BRIDGE = words(`maxPendingQuestionsPerSession maxPendingQuestions maxTasksPerSession maxTasks defaultTaskTimeoutMinutes taskPollMinMs
  taskPollMaxMs taskPollFailureLimit`);
const LIMITS = words("callsPerHour sessionsPerToken parallelReads orderedWrites spin denials requestsPerMinute");
const PROFILE = words("policy autonomy riskCeiling approvals limits results");
export const LATER_SERVER_KEYS = words("attachments elicitation tasks taskTimeoutMinutes");
const TOOL = words("risk callOnce operations");

/** Properties that other programs write into an mcp.json of this shape. Here ids and origins are events, so they say nothing. */
export const BOOKKEEPING = words("id origin");

/** True when the key at `path` (the last element) belongs to a later release. */
export function isLaterKey(path: KeyPath): boolean {
  const [first, , third] = path;
  const key = String(path.at(-1));
  if (path.length === 1) return TOP.has(key);
  if (path.length === 2 && first === "bridge") return BRIDGE.has(key);
  if (path.length === 2 && first === "limits") return LIMITS.has(key);
  if (path.length === 3 && first === "profiles") return PROFILE.has(key);
  if (path.length === 3 && first === "mcpServers") return LATER_SERVER_KEYS.has(key);
  return path.length === 5 && first === "mcpServers" && third === "tools" && TOOL.has(key);
}
