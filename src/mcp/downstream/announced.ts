/** What one request tells a server that we can do: of what the connection may announce, only what this caller can deal with. */
import type { Introduction, RequestLeg } from "./downstream.ts";
import type { Awaited } from "./interim.ts";
import { isObject } from "./json.ts";

/** SEP-2663. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

type Json = Readonly<Record<string, unknown>>;

/** As the protocol of 2026-07-28 says it with every request. */
export const capabilitiesFor = ({ questions, tasks }: Awaited): Json => ({
  ...(questions && { elicitation: { form: {} } }),
  ...(tasks && { extensions: { [TASKS_EXTENSION]: {} } }),
});

/** What may answer the call: a caller's wish alone announces nothing. */
export const awaitedBy = ({ accepts }: RequestLeg, may: Awaited): Required<Awaited> => ({
  questions: may.questions === true && accepts?.questions === true,
  tasks: may.tasks === true && accepts?.tasks === true,
});

/** Whether the server has tasks of its generation for tool calls. */
export function hasTasks({ era, capabilities }: Pick<Introduction, "era" | "capabilities">): boolean {
  if (era === "modern") return isObject(capabilities["extensions"]) && isObject(capabilities["extensions"][TASKS_EXTENSION]);
  const of = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
  return isObject(of(of(of(capabilities["tasks"], "requests"), "tools"), "call"));
}
