/** The forms that a server sends at one time are one question: one form, whose answer is taken apart again. */
import { showInvisible } from "../visible-text.ts";
import { type Form, type FormField, type Json, keyOf, own } from "./field.ts";
import { cut, flat } from "./quote.ts";

export interface KeyedForm extends Form {
  /** Of the server's own choice. */
  readonly key: string;
}
interface Place {
  /** In the round. */
  readonly name: string;
  readonly key: string;
  readonly field: FormField;
}

const MAX_KEY = 64;

/** All fields as one form: by their own name, or by `key.field` where two forms share it. */
export const roundForm = (forms: readonly KeyedForm[]): Form => ({
  fields: placesOf(forms).map(({ name, field }) => ({ ...field, name })),
});

/** A valid answer to `roundForm`, by key: what each form gets, by its own names. */
export function splitAnswer(forms: readonly KeyedForm[], content: Json): ReadonlyMap<string, Json> {
  const places = placesOf(forms).filter(({ name }) => Object.hasOwn(content, name));
  const parts = forms.map(({ key }) => {
    const entries = places.filter((place) => place.key === key).map(({ name, field }) => [field.name, own(content, name)] as const);
    return [key, Object.fromEntries(entries)] as const;
  });
  return new Map(parts);
}

function placesOf(forms: readonly KeyedForm[]): readonly Place[] {
  const uses = new Map<string, number>();
  for (const { fields } of forms) for (const { name } of fields) uses.set(keyOf(name), (uses.get(keyOf(name)) ?? 0) + 1);
  const taken = new Set([...uses].filter(([, count]) => count === 1).map(([name]) => name));
  const unique = (wanted: string): string => {
    let name = wanted;
    for (let at = 2; taken.has(keyOf(name)); at += 1) name = `${wanted}#${at}`;
    taken.add(keyOf(name));
    return name;
  };
  return forms.flatMap(({ key, fields }) =>
    fields.map((field): Place => {
      const isShared = uses.get(keyOf(field.name)) !== 1;
      return { key, field, name: isShared ? unique(`${cut(showInvisible(flat(key)), MAX_KEY)}.${field.name}`) : field.name };
    }),
  );
}
