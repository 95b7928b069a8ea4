/** Which operation of a tool that does several things a call says. */
import type { Operations } from "../../events/registry.ts";

/** Anything else is no name of an operation, and the call is judged as one that does not say which it means. */
const NAME = /^\s*[\w.:/-]{1,64}\s*$/;

/** As it stands in the arguments. Said twice, in other cases of the parameter's name, it is not said: nobody knows which of them its server reads. */
export function operationSaid({ param }: Operations, args: Readonly<Record<string, unknown>>): string | undefined {
  const isOnce = Object.keys(args).filter((key) => key.toLowerCase() === param.toLowerCase()).length === 1;
  const said = isOnce && Object.hasOwn(args, param) ? args[param] : undefined;
  return typeof said === "string" && NAME.test(said) ? said : undefined;
}
