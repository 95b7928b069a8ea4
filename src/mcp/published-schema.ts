/** The form in which a tool's input schema is shown to clients: many break on what JSON Schema allows. The original is what validates. */
import { type Form, formOf, formsIn, schemaOf } from "./schema-forms.ts";
import { inlineReferences, isSchema, needsInlining, type Schema } from "./schema-inline.ts";

/** At the root of a tool's schema the common APIs refuse these. */
const ROOT_REFUSED = ["anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const"];
const MAX_FORMS = 8;

/**
 * Always `{ type: "object", properties, … }` without references, and it accepts every object that the original accepts. A schema that is
 * like that already is returned as it is: the same object.
 */
export function publishedSchema(schema: unknown): Schema {
  if (!isSchema(schema)) return { type: "object", properties: {} };
  const isFit = schema["type"] === "object" && isSchema(schema["properties"]) && !ROOT_REFUSED.some((key) => Object.hasOwn(schema, key));
  if (isFit && !needsInlining(schema)) return schema;
  const plain = inlineReferences(schema);
  return asObject(isSchema(plain) ? plain : {});
}

function asObject(schema: Schema): Schema {
  const form = formOf(schema); // undefined: no object is valid, so nothing can be said
  const isChosen = ROOT_REFUSED.some((key) => Object.hasOwn(schema, key));
  const kept = Object.entries(schema).filter(([key]) => !ROOT_REFUSED.includes(key) && !(isChosen && key === "unevaluatedProperties"));
  const { required: _r, description, ...rest } = Object.fromEntries(kept);
  const words = [description, choice(schema)].filter((text) => typeof text === "string").join(" ");
  return {
    ...rest,
    ...(words !== "" && { description: words }),
    type: "object",
    properties: Object.fromEntries([...(form?.properties ?? [])].map(([name, property]) => [name, schemaOf(property)])),
    ...(form && form.required.size > 0 && { required: [...form.required] }),
    ...(form?.closed && { additionalProperties: false }),
  };
}

/** Which properties belong together, in words: what the one set of properties no longer says. */
function choice(schema: Schema): string | undefined {
  const forms = ["oneOf", "anyOf"].map((key) => formsIn(schema, key)).find((found) => found.length > 1);
  const said = new Set(forms?.map(({ required }: Form) => [...required].join(", ")).filter((names) => names !== ""));
  return said.size > 1 && said.size <= MAX_FORMS ? `Give one of these: ${[...said].join("; or ")}.` : undefined;
}
