/** What servers may ask in the middle of a call, and what was seen of such a question before it was decided on. */
import { z } from "zod";

/** `off`: servers are told that nobody can be asked. `handback`: the agent gets the question as the result of its call. */
export const ElicitationMode = z.enum(["auto", "decline", "off", "handback"]);
export type ElicitationMode = z.output<typeof ElicitationMode>;

/** Who answers when the configured defaults do not: a model, the recorded conversation, the client's own person, an operator. */
export const Responder = z.enum(["llm", "conversation", "client", "operator"]);
export type Responder = z.output<typeof Responder>;

/** The operator's rules for the questions of one server. */
export const Elicitation = z.strictObject({
  mode: ElicitationMode,
  /** So many questions of one call are answered; 0: none. */
  maxPerCall: z.int(),
  /** Values by field name; case does not count. */
  defaults: z.record(z.string(), z.unknown()),
  /** Fields that are never answered. */
  deniedFields: z.array(z.string()),
  /** 0: no limit. */
  responderTimeoutMs: z.int(),
  /** By name, as configured; one that is not known answers nothing. */
  responder: z.string().optional(),
  handbackTtlMinutes: z.number(),
});
export type Elicitation = z.output<typeof Elicitation>;

/** One field of a form. `decision`: only a person may say, as yes or no. */
export const Field = z.strictObject({
  name: z.string(),
  type: z.enum(["string", "number", "integer", "boolean", "choice", "choices", "unknown"]),
  required: z.boolean(),
  decision: z.boolean(),
});
export type Field = z.output<typeof Field>;

/** What a pure function saw in one question, by the rules of its server. Names are scrubbed and cut. */
export const ObservedQuestion = z.strictObject({
  /** Of the server's own choice, unique in its round. */
  key: z.string(),
  mode: z.enum(["form", "url", "other"]),
  fields: z.array(Field),
  /** The name of a bound that it breaks. */
  limit: z.string().optional(),
  /** Fields whose schema says nothing that can be kept to. */
  unreadable: z.array(z.string()).optional(),
  /** What looks like a credential, or is denied: fields, or `message`. */
  sensitive: z.array(z.string()).optional(),
  /** Fields with a configured default that fits. */
  defaulted: z.array(z.string()).optional(),
  /** Every field has one: they alone are the answer. */
  covered: z.literal(true).optional(),
});
export type ObservedQuestion = z.output<typeof ObservedQuestion>;

/** What is to be done about one question, and the rule that says so. `withheld`: fields that the responder may not answer. */
export const Treatment = z.strictObject({
  treatment: z.enum(["decline", "defaults", "respond", "handback"]),
  rule: z.string(),
  responder: Responder.optional(),
  withheld: z.array(z.string()).optional(),
});
export type Treatment = z.output<typeof Treatment>;

/** Where a question came from: as the answer to a request (2026-07-28), on the open connection (older servers), or out of a task. */
export const QuestionSource = z.enum(["mrtr", "in_band", "task"]);
export type QuestionSource = z.output<typeof QuestionSource>;

/** How one question was answered to its server. `by`: defaults, a responder, `agent`, or what declined it. Never the values. */
export const GivenAnswer = z.strictObject({
  key: z.string(),
  action: z.enum(["accept", "decline", "cancel"]),
  by: z.string(),
  /** Why not, when it was not accepted. */
  rule: z.string().optional(),
  /** Names of the fields that were answered. */
  fields: z.array(z.string()),
});
export type GivenAnswer = z.output<typeof GivenAnswer>;

/** Who is to answer from outside the call: the agent with `mcp_answer`, the client with its own form, or an operator while the call waits. */
export const QuestionWay = z.enum(["handback", "client", "operator"]);
export type QuestionWay = z.output<typeof QuestionWay>;
