/** Translates one server's entry into ours. Every field of it ends in exactly one place: our entry, mapped, not carried over, or unknown. */
import { BOOKKEEPING, LATER_SERVER_KEYS } from "../config/later-keys.ts";
import { documentedNames } from "../config/question-schema.ts";
import { secretDefaults } from "../config/questions.ts";
import { SERVER_KEYS, Server, type ServerEntry } from "../config/server-schema.ts";
import { familyOf } from "../secrets/patterns.ts";
import { addressFields } from "./address-fields.ts";
import type { Dialect } from "./dialects.ts";
import { carried, type Draft, type Handler, newDraft, notCarried, type Outcome, UNUSABLE } from "./draft.ts";
import { isAddress, normalised, typeField, typeOf } from "./kind.ts";
import { isPlainObject, type Plain, type PlainObject } from "./read.ts";
import type { Found, FoundIn } from "./roots.ts";
import { asItIs, auth, settingFields } from "./setting-fields.ts";

export interface NotCarried {
  readonly field: string;
  readonly reason: string;
}
export interface TranslatedServer {
  /** Valid as a server of our configuration; empty when the server cannot be used here. */
  readonly entry: PlainObject;
  /** Their field → ours, where the names differ. */
  readonly mapped: Readonly<Record<string, string>>;
  readonly notCarried: readonly NotCarried[];
  readonly unknown: readonly { readonly field: string; readonly value: Plain }[];
  readonly warnings: readonly string[];
}

export function translateServer({ name, entry }: Found, dialect: Dialect, { inputs, excluded }: FoundIn): TranslatedServer {
  if (!isPlainObject(entry)) {
    return { entry: {}, mapped: {}, notCarried: [], unknown: [], warnings: ["it cannot be used: it is no object"] };
  }
  const { kind, type, unusable } = typeOf(entry);
  const draft = newDraft(dialect, { kind, isTyped: type !== undefined }, inputs);
  if (type !== undefined) draft.entry.set("type", type);
  const outcomes = new Map(Object.entries(entry).map(([field, value]) => [field, outcomeOf(field, value, entry, draft)]));
  if (excluded(name)) {
    draft.entry.set("disabled", true);
    draft.warnings.push("disabled: the file switches it off");
  }
  return finished(entry, draft, outcomes, unusable ?? whyUnreachable(draft, outcomes) ?? whyInvalid(draft, outcomes));
}

function outcomeOf(field: string, value: Plain, entry: PlainObject, draft: Draft): Outcome {
  const key = normalised(field);
  if (["type", "transport", "transporttype"].includes(key)) return typeOutcome(field, entry, draft);
  if (key === "auth") return auth(value, draft, field);
  if (draft.dialect.ours && BOOKKEEPING.has(key)) return notCarried("ids and origins are kept in the log here");
  const handler = handlerOf(key) ?? (draft.dialect.ours ? ourOwn(field) : undefined);
  return handler?.(value, draft, field) ?? { unknown: true };
}

const handlerOf = (key: string): Handler | undefined => {
  if (Object.hasOwn(addressFields, key)) return addressFields[key];
  return Object.hasOwn(settingFields, key) ? settingFields[key] : undefined;
};

function typeOutcome(field: string, entry: PlainObject, draft: Draft): Outcome {
  const deciding = typeField(entry);
  if (deciding === undefined) return notCarried("it is no text");
  if (deciding !== field) return notCarried(`${deciding} says it already`);
  return draft.entry.has("type") ? carried("type") : notCarried("no such transport can be used");
}

/** A field of this configuration, of this release or of a later one. */
function ourOwn(field: string): Handler | undefined {
  const ours = [...SERVER_KEYS, ...LATER_SERVER_KEYS].find((key) => key.toLowerCase() === field.toLowerCase());
  if (ours === undefined) return undefined;
  return (written, draft) => {
    const address = draft.kind === "http" ? { url: "https://example.com" } : { command: "true" };
    const value = ours === "elicitation" ? documentedNames(written) : written;
    const parsed = Server.safeParse({ ...address, [ours]: value });
    if (parsed.success) return asItIs(ours)(withoutSecrets(value, parsed.data, draft, field), draft, field);
    draft.warn(field, "it has no effect here");
    return notCarried("this release does not support it, or not this value");
  };
}

/** No question is answered with a secret, so none is carried over among the defaults of a block for questions. */
function withoutSecrets(value: Plain, { elicitation }: ServerEntry, draft: Draft, field: string): Plain {
  const secret = elicitation ? secretDefaults(elicitation, { register: [], ignore: [], family: familyOf }) : [];
  const defaults = isPlainObject(value) ? value["defaults"] : undefined;
  if (!isPlainObject(value) || !isPlainObject(defaults) || secret.length === 0) return value;
  for (const name of secret) draft.notCarried.push({ field: `${field}.defaults.${name}`, reason: "no question is answered with a secret" });
  return { ...value, defaults: Object.fromEntries(Object.entries(defaults).filter(([name]) => !secret.includes(name))) };
}

/** The reason why neither its program nor its address could be carried over. */
function whyUnreachable({ entry }: Draft, outcomes: ReadonlyMap<string, Outcome>): string | undefined {
  if (entry.has("command") || entry.has("url")) return undefined;
  const lost = [...outcomes].find(([field, outcome]) => "reason" in outcome && isAddress(field));
  return lost === undefined || !("reason" in lost[1]) ? undefined : `${lost[0]}: ${lost[1].reason}`;
}

/** Takes out of our entry what our schema refuses, until it accepts the rest; in words why it accepts nothing. */
function whyInvalid(draft: Draft, outcomes: Map<string, Outcome>): string | undefined {
  for (;;) {
    const parsed = Server.safeParse(Object.fromEntries(draft.entry));
    if (parsed.success) return undefined;
    const [issue] = parsed.error.issues;
    const [ours, part] = issue?.path ?? [];
    if (issue === undefined || typeof ours !== "string" || !draft.entry.has(ours)) return issue?.message ?? "it is not valid";
    const theirs = [...outcomes].find(([, outcome]) => "as" in outcome && outcome.as === ours)?.[0] ?? ours;
    const inside = draft.entry.get(ours);
    const message = (issue.code === "invalid_key" ? (issue.issues[0]?.message ?? "") : issue.message).replace(/^Invalid string: /, "");
    if (isPlainObject(inside) && typeof part === "string" && Object.hasOwn(inside, part)) {
      draft.entry.set(ours, Object.fromEntries(Object.entries(inside).filter(([key]) => key !== part)));
      draft.notCarried.push({ field: `${theirs}.${part}`, reason: message });
    } else {
      draft.entry.delete(ours);
      outcomes.set(theirs, notCarried(message));
    }
  }
}

function finished(
  source: PlainObject,
  draft: Draft,
  outcomes: ReadonlyMap<string, Outcome>,
  unusable: string | undefined,
): TranslatedServer {
  const entry = unusable === undefined ? draft.entry : new Map<string, Plain>();
  const warnings = [...draft.warnings, ...(unusable === undefined ? [] : [`it cannot be used: ${unusable}`])];
  const parts = [...draft.notCarried];
  const mapped: [string, string][] = [];
  const unknown: { field: string; value: Plain }[] = [];
  for (const [field, outcome] of outcomes) {
    const reason = "reason" in outcome ? outcome.reason : "as" in outcome && unusable !== undefined ? UNUSABLE : undefined;
    if (reason !== undefined) {
      if (entry.has(field)) warnings.push(`${field}: ${reason}`);
      else parts.push({ field, reason });
    } else if ("as" in outcome) {
      if (outcome.as !== field || !entry.has(field)) mapped.push([field, outcome.as]);
    } else unknown.push({ field, value: source[field] ?? null });
  }
  return { entry: Object.fromEntries(entry), mapped: Object.fromEntries(mapped), notCarried: parts, unknown, warnings };
}
