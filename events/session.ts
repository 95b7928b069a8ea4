/** The life of one agent's session. */
import { z } from "zod";
import { defineEvent, type EventOf } from "./define.ts";

export const SessionOpened = defineEvent(
  "session.opened",
  z.strictObject({
    agent: z.string(),
    name: z.string(),
    client: z.string(),
    era: z.enum(["legacy", "modern", "rest"]),
    profile: z.string(),
  }),
);

/** A legacy MCP connection belongs to this session from now on. Payload: its `initialize` parameters, for a restart of ours. */
export const SessionConnected = defineEvent("session.connected", z.strictObject({ connection: z.string() }));

/** The client ended a legacy connection. Its id is never served again. */
export const SessionDisconnected = defineEvent("session.disconnected", z.strictObject({ connection: z.string() }));

/** This session is gone: what it had not announced goes to the next one of the same agent and client. */
export const SessionBequeathed = defineEvent("session.bequeathed", z.strictObject({ to: z.string(), calls: z.array(z.string()) }));
export const SessionInherited = defineEvent("session.inherited", z.strictObject({ from: z.string(), calls: z.array(z.string()) }));

/** The agent's token has another profile now. */
export const SessionProfiled = defineEvent("session.profiled", z.strictObject({ profile: z.string() }));

/** These tools joined the session's list, each with the definition it had then; `drops` had to go. */
export const ToolsActivated = defineEvent(
  "tools.activated",
  z.strictObject({
    tools: z.array(z.strictObject({ name: z.string(), hash: z.string() })),
    drops: z.array(z.string()).optional(),
  }),
);
/** The session was silent for long: what it had found is forgotten. */
export const ToolsDeactivated = defineEvent("tools.deactivated", z.strictObject({ reason: z.enum(["idle"]) }));

/** Somebody other than the agent's own call turned it up: it is announced with the session's next result. Ids of calls and questions. */
export const OutcomeNoted = defineEvent("outcome.noted", z.strictObject({ ids: z.array(z.string()) }));
/** The agent has looked: it is not told again. */
export const OutcomeTold = defineEvent("outcome.told", z.strictObject({ ids: z.array(z.string()), by: z.string() }));

/** Who said something in the conversation that an agent serves. */
export const Role = z.enum(["user", "assistant"]);
export type Role = z.output<typeof Role>;
/** The payload of `turn.recorded`. */
export interface Spoken {
  readonly text: string;
}
/** The agent's host has recorded a turn of the conversation. Payload: its text, scrubbed. `by`: whose token said so. */
export const TurnRecorded = defineEvent("turn.recorded", z.strictObject({ role: Role, by: z.string() }));

export const sessionEvents = [
  SessionOpened,
  SessionConnected,
  SessionDisconnected,
  SessionBequeathed,
  SessionInherited,
  SessionProfiled,
  ToolsActivated,
  ToolsDeactivated,
  OutcomeNoted,
  OutcomeTold,
  TurnRecorded,
] as const;
export type SessionEvent = EventOf<(typeof sessionEvents)[number]>;
