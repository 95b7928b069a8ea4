/** The one form of every built-in tool. */
import { z } from "zod";
import type { Catalogue, Offer } from "../../actors/catalogue.ts";
import type { SearchIndex, ToolDocument } from "../../actors/rank.ts";
import type { Proposal } from "../../actors/registry-commands.ts";
import type { Capability, ErrorCode } from "../../events/call.ts";
import type { Delivery, Via } from "../../events/delivery.ts";
import type { Scope } from "../../events/policy.ts";
import type { CallEnd, ToolResult } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import type { NewFile, SavedFile } from "../files/attachments.ts";
import type { ToolDefinition } from "../mcp/downstream/definitions.ts";
import type { CallOutcome } from "../mcp/downstream/downstream.ts";
import type { Published } from "../mcp/published.ts";
import type { AnswerOutcome, Rejection } from "../questions/answer-question.ts";
import type { ReadAsked } from "../questions/read-asked.ts";
import type { Given } from "../questions/read-given.ts";

/** What is known of a server beyond the catalogue. */
export interface ServerFacts {
  readonly implementation?: {
    readonly name: string;
    readonly version?: string;
    readonly title?: string;
    readonly description?: string;
  };
  readonly instructions?: string;
  /** A few sentences. */
  readonly summary: string;
  readonly state: string;
}

export interface ToolContext {
  readonly session: string;
  readonly agent: string;
  readonly profile: string;
  /** Whose rules hold. */
  readonly scope: Scope;
  readonly catalogue: Catalogue;
  readonly views: CallViews;
  /** Whether the call is in doubt as of this very tick, durable or not: for decisions. */
  readonly isInDoubt: (server: string, call: string) => boolean;
  readonly definitionOf: (hash: string) => ToolDefinition | undefined;
  /** A tool as agents get it. */
  readonly published: Published;
  /** Any other document that a server declared, by its hash. */
  readonly documentOf: (hash: string) => unknown;
  /** The tools that the session sees. */
  readonly shown: () => readonly Offer[];
  /** Every tool and prompt that the session may call. */
  readonly search: () => SearchIndex<FoundTool>;
  /** Asks a server for something to read. Never rejects. */
  readonly request: ReadAsked["read"];
  /** Stores what does not belong into an answer as a file; the reason in words when it cannot be. */
  readonly save: (file: NewFile) => Promise<SavedFile | string>;
  /** Characters of a resource's text that are told as they are. */
  readonly inlineTextLimit: number;
  /** The client wants what the server says, as it is. */
  readonly native: boolean;
  /** Adds a server, or removes one of the agent's own; the answer is what the agent is told. */
  readonly register: (proposal: Omit<Proposal, "duplicateOf">) => Promise<{ readonly ok: boolean; readonly text: string }>;
  readonly unregister: (name: string, owner: string) => Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Answers a question that waits, for this session; the outcome of the call that asked comes with it. */
  readonly answer: (id: string, given: Given) => Promise<AnswerOutcome>;
  /** One was turned down before that. */
  readonly unanswered: (reason: Rejection) => void;
  /** What an end is to the agent: also a further question, or a task that goes on. */
  readonly resultOf: (end: CallEnd, name: string) => ToolResult;
  /** The text of a question that is open. */
  readonly questionText: (id: string) => string | undefined;
  /** Whether the question or task is open as of this very tick. */
  readonly isOpen: (kind: "question" | "task", id: string) => boolean;
  /** The agent has seen these outcomes. */
  readonly told: (ids: readonly string[], by: string) => void;
  /** Brings tools into the session's list, by their published names. */
  readonly activate: (names: readonly string[]) => Promise<void>;
  readonly factsOf: (server: string) => ServerFacts;
}

/** A tool may hand on what a server answered to a native call, instead of an answer of its own. */
export interface Passed {
  readonly passed: CallOutcome;
}
export const isPassed = (given: ToolResult | Passed): given is Passed => "passed" in given;

/** What the search knows of a tool. */
export interface FoundTool extends ToolDocument {
  readonly offer: Offer;
}

/** A verdict of the tool itself before anything is done. */
export interface Refusal {
  readonly refusal: { readonly code: ErrorCode; readonly rule: string; readonly reason: string };
}
export const refuse = (code: ErrorCode, reason: string): Refusal => ({ refusal: { code, rule: "tool", reason } });

/** The call that a wrapped call stands for. */
export interface Unwrapped {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly via: Via;
}

type Arguments = Readonly<Record<string, unknown>>;
interface Common<I> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<I>;
  readonly capability: Capability;
  /** What may be written down of arguments that are not kept as they are. They may be anything. */
  readonly recorded?: (args: Arguments) => Arguments;
}
/** `run` is an effect; `decide` tells an actor inside the turn; `unwrap` names another tool. */
export type ToolForm<I> = Common<I> &
  (
    | { readonly run: (input: I, context: ToolContext) => ToolResult | Passed | Promise<ToolResult | Passed> }
    | { readonly decide: (input: I, context: ToolContext) => Delivery | Refusal }
    | { readonly unwrap: (input: I, context: ToolContext) => Unwrapped | Refusal }
  );

/** A built-in tool whose input type only it knows. */
export interface BuiltinTool {
  readonly name: string;
  readonly capability: Capability;
  readonly definition: ToolDefinition;
  readonly kind: "run" | "decide" | "unwrap";
  /** What may be written down of its arguments. */
  recorded(args: Arguments): Arguments;
  /** Checks the arguments; the message names every fault. */
  check(args: unknown): Refusal | undefined;
  run(args: unknown, context: ToolContext): Promise<ToolResult | Passed>;
  decide(args: unknown, context: ToolContext): Delivery | Refusal;
  unwrap(args: unknown, context: ToolContext): Unwrapped | Refusal;
}

export function defineTool<I>(form: ToolForm<I>): BuiltinTool {
  const { name, description, input, capability, recorded = (args) => args } = form;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  const wrongKind = (): never => {
    throw new Error(`the tool ${name} is not of this kind`);
  };
  return {
    name,
    capability,
    recorded,
    kind: "run" in form ? "run" : "decide" in form ? "decide" : "unwrap",
    definition: {
      name,
      description,
      inputSchema: { ...inputSchema, type: "object" },
      annotations: { readOnlyHint: capability === "read", destructiveHint: false, openWorldHint: false },
    },
    check(args) {
      const parsed = input.safeParse(args);
      if (parsed.success) return undefined;
      const faults = parsed.error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message));
      return refuse("invalid_arguments", faults.join("; "));
    },
    run: async (args, context) => ("run" in form ? form.run(input.parse(args), context) : wrongKind()),
    decide: (args, context) => ("decide" in form ? form.decide(input.parse(args), context) : wrongKind()),
    unwrap: (args, context) => ("unwrap" in form ? form.unwrap(input.parse(args), context) : wrongKind()),
  };
}

/** A JSON document: a text block of its own and also `structuredContent`; further texts are blocks of their own. */
export const jsonResult = (
  document: unknown,
  structured: Readonly<Record<string, unknown>>,
  ...trailers: readonly string[]
): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(document) }, ...trailers.map((text) => ({ type: "text", text }))],
  structuredContent: structured,
});
export const textResult = (text: string, structured?: Readonly<Record<string, unknown>>): ToolResult => ({
  content: [{ type: "text", text }],
  ...(structured && { structuredContent: structured }),
});
export const errorResult = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });
