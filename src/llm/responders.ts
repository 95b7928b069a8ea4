/** Who may answer a server's question in place of a person: a model that sees the arguments of the call, or one that sees what was said. Neither decides anything. */
import { isRecord, keyOf } from "../../actors/elicit/field.ts";
import { cut, flat } from "../../actors/elicit/quote.ts";
import { showInvisible } from "../../actors/visible-text.ts";
import type { Field, Responder } from "../../events/elicitation.ts";
import type { ConversationViews } from "../calls/conversation.ts";
import { markerIn } from "../secrets/marker.ts";
import type { Vault } from "../secrets/vault.ts";
import { type AskedField, type AskingCall, argumentsPrompt, conversationPrompt, type Texts } from "./ask-prompt.ts";
import type { Llm } from "./client.ts";
import { firstObject } from "./first-object.ts";
import type { Tier } from "./tiers.ts";

export interface ResponderAsk {
  readonly message: string;
  /** The `requestedSchema`, as the server sent it. */
  readonly form: unknown;
  /** Those that the defaults leave open. */
  readonly fields: readonly Field[];
  /** Names of fields that a person has to answer. */
  readonly withheld: readonly string[];
  /** All that the question may belong to. */
  readonly calls: readonly AskingCall[];
  /** Undefined: they are calls of several sessions. */
  readonly session: string | undefined;
  /** Aborting it is cancelling; whoever asks also ends it in time. */
  readonly signal: AbortSignal;
}
/** `content` holds asked fields only, and is not validated. */
export type Responded =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline"; readonly reason: string }
  | { readonly action: "cancel" };
/** Never rejects. */
export type AskResponder = (ask: ResponderAsk) => Promise<Responded>;

export interface ResponderPorts {
  readonly llm: Pick<Llm, "complete">;
  readonly vault: Pick<Vault, "redactText">;
  readonly views: Pick<ConversationViews, "turnsOf">;
  /** A line that nobody can foresee, another one each time. */
  readonly fence: () => string;
}
type OpenField = Field & AskedField;
export type ModelResponder = Extract<Responder, "llm" | "conversation">;

const TIER_OF = { llm: "low", conversation: "balanced" } as const satisfies Record<ModelResponder, Tier>;
/** What the model thinks to itself included. */
const MAX_TOKENS = 2000;
/** Whoever asks ends it earlier. */
const TIMEOUT_MS = 600_000;
/** Of more, not all could be shown: then nobody can say what is the same for each. */
const MAX_CALLS = 8;
const MAX_TURNS = 12;
const MAX_REASON = 200;

/** Those whose tier is configured. */
export const availableResponders = (llm: Pick<Llm, "tiers">): readonly ModelResponder[] =>
  (["llm", "conversation"] as const).filter((one) => llm.tiers()[TIER_OF[one]] !== undefined);

export function createResponders({ llm, vault, views, fence }: ResponderPorts): Readonly<Record<ModelResponder, AskResponder>> {
  const redact = vault.redactText;
  const ask = async (prompt: Texts, tier: Tier, fields: readonly OpenField[], signal: AbortSignal): Promise<Responded> => {
    const said = await llm.complete({ tier, ...prompt, maxTokens: MAX_TOKENS, timeoutMs: TIMEOUT_MS, signal });
    if (signal.aborted) return { action: "cancel" } as const;
    return said.ok ? judge(said.text, fields, redact) : decline(`the model could not be asked: ${said.reason}`);
  };
  /** Nothing that a model could make go wrong, or a server's form, rejects. */
  const guarded =
    (answer: (question: ResponderAsk, open: readonly OpenField[]) => Promise<Responded>): AskResponder =>
    async (question) => {
      if (question.signal.aborted) return { action: "cancel" };
      const open = openOf(question);
      if (open.length === 0) return decline("there is no field that it may answer");
      try {
        return await answer(question, open);
      } catch {
        return decline("the question could not be put to it");
      }
    };

  return {
    llm: guarded(async (question, open) => {
      if (question.calls.length === 0) return decline("no call is running");
      if (question.calls.length > MAX_CALLS) return decline("too many calls are running");
      const prompt = argumentsPrompt({ message: question.message, fields: open }, question.calls, { fence: fence(), redact });
      return ask(prompt, TIER_OF.llm, open, question.signal);
    }),
    conversation: guarded(async ({ session, message, signal }, open) => {
      if (open.some(({ type }) => type !== "choice" && type !== "choices")) return decline("only choices are answered from a conversation");
      if (session === undefined) return decline("calls of several sessions are running");
      const turns = views.turnsOf(session, MAX_TURNS);
      if (!turns.some(({ role }) => role === "user")) return decline("nothing is recorded of what the user said");
      const prompt = conversationPrompt({ message, fields: open }, turns, { fence: fence(), redact });
      return ask(prompt, TIER_OF.conversation, open, signal);
    }),
  };
}

const decline = (reason: string) => ({ action: "decline", reason }) as const;

/** Those that the form has under this very name. Whoever asks has withheld decisions already; no mistake there makes one of them ours. */
function openOf({ form, fields, withheld }: ResponderAsk): readonly OpenField[] {
  const properties = isRecord(form) ? form["properties"] : undefined;
  if (!isRecord(properties)) return [];
  const open = fields.filter(({ name, decision }) => !decision && !withheld.includes(name) && Object.hasOwn(properties, name));
  return open.map((field) => ({ ...field, schema: properties[field.name] }));
}

/** Anything that is no clear answer declines. */
function judge(text: string, open: readonly OpenField[], redact: (text: string) => string): Responded {
  const { action, content, reason } = firstObject(text) ?? {};
  if (action === "decline")
    return decline(typeof reason === "string" ? cut(showInvisible(flat(redact(reason))), MAX_REASON).toWellFormed() : "it gave no reason");
  if (action !== "accept" || !isRecord(content)) return decline("its answer is none");
  const nameOf = (key: string) => open.find(({ name }) => keyOf(name) === keyOf(key))?.name;
  const answered = Object.entries(content).flatMap(([key, value]) => {
    const name = nameOf(key);
    return name === undefined || value === null ? [] : [[name, value] as const];
  });
  if (answered.length === 0) return decline("its answer says nothing");
  if (markerIn(JSON.stringify(answered)) !== undefined) return decline("its answer holds a redacted value");
  return { action: "accept", content: Object.fromEntries(answered) };
}
