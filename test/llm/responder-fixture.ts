/** Responders over a chat endpoint, and a question for them. */
import type { Field } from "../../events/elicitation.ts";
import type { SpokenTurn } from "../../src/calls/conversation.ts";
import { createLlm } from "../../src/llm/client.ts";
import { createResponders, type ResponderAsk } from "../../src/llm/responders.ts";
import type { Endpoint } from "../../src/llm/tiers.ts";
import { createVault } from "../../src/secrets/vault.ts";
import { fakeClock } from "../fake-clock.ts";
import type { ChatEndpoint } from "../fixtures/chat-endpoint.ts";

export const FENCE = "-----f00df00d-----";
export const CANARY = "canary-0123456789";
const endpoint = (baseUrl: string, model: string): Endpoint => ({ baseUrl, model, supportsImageInput: false, secrets: [] });
export const llmAt = (url: string, tiers: readonly ("low" | "balanced")[] = ["low", "balanced"]) => {
  const llm = createLlm({ clock: fakeClock(), redact: (text) => text });
  llm.configure(Object.fromEntries(tiers.map((tier) => [tier, endpoint(url, tier)])));
  return llm;
};
export const vault = () => {
  const made = createVault({ key: new Uint8Array(32).fill(7) });
  made.configure([{ name: "K", value: CANARY }]);
  return made;
};

export const field = (name: string, more: Partial<Field> = {}): Field => ({
  name,
  type: "string",
  required: false,
  decision: false,
  ...more,
});
export const SEATS = { type: "string", enum: ["aisle", "window"] };
export const question: Omit<ResponderAsk, "signal"> = {
  message: "Where to?",
  form: { type: "object", properties: { City: { type: "string", title: "Town" }, nights: { type: "integer" } } },
  fields: [field("City", { required: true }), field("nights", { type: "integer" })],
  withheld: [],
  calls: [{ server: "hotels", tool: "book", description: "Books a room.", arguments: { city: "Bern", password: "hunter2" } }],
  session: "s_1",
};
export const choice: Partial<ResponderAsk> = {
  form: { type: "object", properties: { seat: SEATS } },
  fields: [field("seat", { type: "choice", required: true })],
};
export const turn = (text: string, role: SpokenTurn["role"] = "user"): SpokenTurn => ({ role, text, at: 0 });

/** Over an endpoint, and a session in which this was said; `read` is what was asked of it. */
export function responders(
  chat: Pick<ChatEndpoint, "url">,
  turns: readonly SpokenTurn[] = [turn("the window, please")],
  tiers?: ("low" | "balanced")[],
) {
  const read: [string, number][] = [];
  const turnsOf = (session: string, limit: number) => {
    read.push([session, limit]);
    return turns.slice(-limit);
  };
  const made = createResponders({ llm: llmAt(chat.url, tiers), vault: vault(), views: { turnsOf }, fence: () => FENCE });
  const ask = (who: keyof typeof made, more: Partial<ResponderAsk> = {}) =>
    made[who]({ ...question, signal: new AbortController().signal, ...more });
  return { read, ask };
}
export const accept = (content: object) => JSON.stringify({ action: "accept", content });
export const linesOf = (chat: ChatEndpoint) => chat.asked[0]?.user.split("\n") ?? [];
