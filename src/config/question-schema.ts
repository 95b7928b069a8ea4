/** `elicitation` and `tasks`: what servers may ask in the middle of a call, and how calls go on in the background, as they are written. */
import { z } from "zod";
import { ElicitationMode } from "../../events/elicitation.ts";
import { TaskOffer } from "../../events/registry.ts";
import { isObject } from "./known-keys.ts";

const LONGEST_MS = 2_147_483_647;
const LONGEST_MINUTES = 525_600; // a year

export const minutes = z.number().max(LONGEST_MINUTES);
const ms = z.int().max(LONGEST_MS);

const Block = z.strictObject({
  mode: ElicitationMode.default("auto").describe(
    "auto: answers what it can; decline: answers nothing; off: servers are told that nobody can be asked; handback: the agent gets the question as the result of its call. In any case of letters.",
  ),
  maxPerCall: z.int().min(0).max(1000).default(3).describe("So many questions of one call are answered. 0: none."),
  defaults: z
    .record(z.string().min(1), z.unknown())
    .superRefine((defaults, context) => {
      const seen = new Map<string, string>();
      for (const name of Object.keys(defaults)) {
        const first = seen.get(name.toLowerCase());
        if (first !== undefined)
          context.addIssue({ code: "custom", path: [name], message: `the same field as ${first} (case does not count)` });
        seen.set(name.toLowerCase(), name);
      }
    })
    .default({})
    .describe("Answers by the name of the field, in any case of letters."),
  deniedFields: z.array(z.string().min(1)).default([]).describe("Fields that are never answered, in any case of letters."),
  responderTimeoutMs: ms.default(20_000).describe("So long somebody may take to answer. 0 or less: no limit."),
  responder: z.string().optional().describe("Who answers what the defaults do not: client, operator, llm, conversation."),
  handbackTtlMinutes: minutes.default(30).describe("So long the agent may answer a question that it was given; 0 or less is read as 30."),
});
export type ElicitationEntry = z.output<typeof Block>;

/** How a block is read: a property that is null counts as left out, and a mode that is none is `decline`, the careful one. */
export const ElicitationEntry = z.preprocess((written) => {
  if (!isObject(written)) return written;
  const said = Object.entries(written).filter(([, value]) => value !== null);
  return Object.fromEntries(said.map(([key, value]) => [key, key === "mode" ? (modeOf(value) ?? "decline") : value]));
}, Block);

/** Undefined for what is no mode. */
export const modeOf = (written: unknown): ElicitationMode | undefined =>
  ElicitationMode.options.find((mode) => typeof written === "string" && mode === written.toLowerCase());

const NAMES = new Map(Object.keys(Block.shape).map((name) => [name.toLowerCase(), name]));
/** Property names of an older spelling, as an entry of an `mcp.json` may have them. */
export function documentedNames<T>(written: T): T {
  if (!isObject(written)) return written;
  const renamed = Object.entries(written).map(([key, value]) => {
    const name = NAMES.get(key.toLowerCase()) ?? key;
    return [name !== key && Object.hasOwn(written, name) ? key : name, value] as const; // a second spelling is an unknown key
  });
  return Object.fromEntries(renamed) as T;
}

const { offer, perTool } = TaskOffer.shape;
export const Tasks = z.strictObject({
  offer: offer
    .default("auto")
    .describe("Whether clients that know tasks get one for a call: auto when it takes longer than offerAfterMs, always at once, or never."),
  offerAfterMs: ms.min(0).default(20_000).describe("So long a call is waited for before its client gets a task."),
  heartbeatMs: ms.min(100).default(10_000).describe("A client that asked for progress hears something at least so often."),
  perTool: perTool.default({}).describe("Instead of `offer`, by the name under which the tool is published."),
});

/** Of `bridge`: how many questions and tasks there may be, and how servers are asked about theirs. */
export const questionBounds = {
  maxPendingQuestionsPerSession: z.int().min(0).max(10_000).default(5).describe("Open questions that the agent of a session was given."),
  maxPendingQuestions: z.int().min(0).max(100_000).default(50).describe("The same of all sessions."),
  maxTasksPerSession: z.int().min(0).max(10_000).default(3).describe("Calls of a session that go on in the background."),
  maxTasks: z.int().min(0).max(100_000).default(20).describe("The same of all sessions."),
  defaultTaskTimeoutMinutes: minutes.min(1).default(60).describe("So long a task may take, where its server says nothing else."),
  taskPollMinMs: ms.min(10).default(500).describe("A server is asked about a task no more often."),
  taskPollMaxMs: ms.min(10).default(30_000).describe("And no less often."),
  taskPollFailureLimit: z.int().min(1).max(1000).default(10).describe("So many failures in a row to ask lose a task."),
};
