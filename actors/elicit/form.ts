/** What is to be seen in a server's question before it is decided on. Linear, and without failure whatever the server sends. */
import type { Elicitation, ObservedQuestion } from "../../events/elicitation.ts";
import { skeleton } from "../confusable.ts";
import { showInvisible } from "../visible-text.ts";
import { applyDefaults } from "./answer.ts";
import { looksCredential } from "./credentials.ts";
import { constrainsBy, type Form, type FormField, isRecord, keyOf, own, readField } from "./field.ts";
import { cut, flat } from "./quote.ts";
import { jsonExceeds } from "./size.ts";

export const MAX_MESSAGE = 8000;
export const MAX_SCHEMA_BYTES = 65_536;
export const MAX_FIELDS = 32;
/** A longer name is not shown whole, so nobody can answer to it. */
export const MAX_NAME = 128;

export interface ReadForm extends Form {
  /** Empty when there is none. */
  readonly message: string;
  /** What the form as a whole is called and said to be. */
  readonly texts: readonly string[];
  /** The name of a bound that it breaks; of its fields there are then none or the first ones. */
  readonly limit?: string;
  /** Names of fields, and of parts of the request, that say nothing which can be kept to. */
  readonly unreadable: readonly string[];
}

/** `params` of an `elicitation/create` in the mode `form`. */
export function readForm(params: unknown): ReadForm {
  if (!isRecord(params)) return { message: "", texts: [], fields: [], unreadable: ["params"] };
  const message = own(params, "message");
  const base = { message: typeof message === "string" ? message : "", texts: [], fields: [] };
  const silent = message === undefined || typeof message === "string" ? [] : ["message"];
  if (base.message.length > MAX_MESSAGE) return { ...base, limit: "question-message-characters", unreadable: silent };
  const schema = own(params, "requestedSchema") ?? {};
  if (jsonExceeds(schema, MAX_SCHEMA_BYTES)) return { ...base, limit: "question-schema-bytes", unreadable: silent };
  if (!isRecord(schema)) return { ...base, unreadable: [...silent, "requestedSchema"] };
  const texts = [own(schema, "title"), own(schema, "description")].filter((text) => typeof text === "string");
  const type = own(schema, "type");
  const properties = own(schema, "properties") ?? {};
  const required = own(schema, "required") ?? [];
  const isPlain = (type === undefined || type === "object") && isRecord(properties) && Array.isArray(required) && !constrainsBy(schema, []);
  if (!isPlain) return { ...base, texts, unreadable: [...silent, "requestedSchema"] };
  const names = Object.keys(properties);
  const needed = new Set<unknown>(required);
  const fields = names.slice(0, MAX_FIELDS).map((name) => readField(name, properties[name], needed.has(name)));
  const absent = [...needed].flatMap((name) => (typeof name !== "string" ? ["required"] : Object.hasOwn(properties, name) ? [] : [name]));
  const unreadable = [...silent, ...unreadableOf(fields), ...absent.slice(0, MAX_FIELDS)];
  return { ...base, texts, fields, unreadable, ...(names.length > MAX_FIELDS && { limit: "question-fields" }) };
}

/** Fields of no type, and those that cannot be told apart or called by their name. */
function unreadableOf(fields: readonly FormField[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of fields) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  return fields
    .filter(({ name, type }) => type === "unknown" || counts.get(keyOf(name)) !== 1 || name.length > MAX_NAME || shown(name) !== name)
    .map(({ name }) => name);
}

/** A name as a person sees it. */
const shown = (name: string): string => showInvisible(flat(name));

/**
 * `redact` takes secrets out of names, and a name or an option that has one cannot be answered to: where nothing is unreadable, the names
 * are those of the server.
 */
export function observeQuestion(
  key: string,
  { method, params }: { readonly method: string; readonly params: unknown },
  { defaults, deniedFields }: Elicitation,
  redact: (text: string) => string = (text) => text,
): ObservedQuestion {
  const mode = modeOf(method, params);
  if (mode !== "form") return { key, mode, fields: [] };
  const form = readForm(params);
  const show = (name: string): string => cut(shown(redact(name)), MAX_NAME);
  const isSecret = (text: string): boolean => redact(text) !== text;
  const secret = form.fields.filter(({ name, options = [] }) => isSecret(name) || options.some(({ value }) => isSecret(value)));
  const unreadable = new Set([...form.unreadable, ...secret.map(({ name }) => name)]);
  const sensitive = form.limit === undefined ? sensitiveIn(form, deniedFields) : [];
  const defaulted = form.limit === undefined && unreadable.size === 0 ? Object.keys(applyDefaults(form, defaults).content) : [];
  const isCovered = form.fields.length > 0 && defaulted.length === form.fields.length;
  return {
    key,
    mode,
    fields: form.fields.map(({ name, type, required, decision }) => ({ name: show(name), type, required, decision })),
    ...(form.limit !== undefined && { limit: form.limit }),
    ...(unreadable.size > 0 && { unreadable: [...unreadable].map(show) }),
    ...(sensitive.length > 0 && { sensitive: sensitive.map(show) }),
    ...(defaulted.length > 0 && { defaulted }),
    ...(isCovered && { covered: true as const }),
  };
}

function modeOf(method: string, params: unknown): ObservedQuestion["mode"] {
  if (method !== "elicitation/create" || !isRecord(params)) return "other";
  const mode = own(params, "mode") ?? "form";
  return mode === "form" || mode === "url" ? mode : "other";
}

function sensitiveIn({ message, texts, fields }: ReadForm, deniedFields: readonly string[]): readonly string[] {
  const denied = new Set(deniedFields.flatMap((name) => [keyOf(name), skeleton(name)]));
  const isSensitive = ({ name, title, description, format, options = [] }: FormField): boolean =>
    denied.has(keyOf(name)) ||
    denied.has(skeleton(name)) ||
    [name, title, description, format, ...options.flatMap((option) => [option.value, option.title])].some(
      (text) => text !== undefined && looksCredential(text),
    );
  const names = fields.filter(isSensitive).map(({ name }) => name);
  return [message, ...texts].some(looksCredential) ? ["message", ...names] : names;
}
