/** Which operation of a tool that does several things a call says. */
import type { Operations } from "../../events/registry.ts";

/** Anything else is no name of an operation, and the call is judged as one that does not say which it means. */
const NAME = /^\s*[\w.:/-]{1,64}\s*$/;

/** As it stands in the arguments. */
export function operationSaid({ param }: Operations, args: Readonly<Record<string, unknown>>): string | undefined {
  const said = Object.hasOwn(args, param) ? args[param] : undefined;
  return typeof said === "string" && NAME.test(said) ? said : undefined;
}
