/** Calls that leave out what the tool's schema requires are not sent. */
import { listKeys, missingKeys, type Schema, schemaText } from "./parameters.ts";

interface Incomplete {
  readonly code: "invalid_arguments";
  readonly rule: "required-keys";
  readonly reason: string;
}

/** `name` is the published one; `schema` the server's own. Undefined: nothing is missing. */
export function refuseIncomplete(name: string, schema: Schema, args: Readonly<Record<string, unknown>>): Incomplete | undefined {
  const missing = missingKeys(schema, args);
  if (missing.length === 0) return undefined;
  const reason = `${name} needs ${listKeys(missing)}, and the call has ${listKeys(Object.keys(args))}; nothing was sent. Its parameters: ${schemaText(schema)}`;
  return { code: "invalid_arguments", rule: "required-keys", reason };
}
