/** Whether the layers let a session have a tool, and which of its operations where it has several. */
import type { Scope } from "../../events/policy.ts";
import type { Catalogue, Offer, ServerEntry } from "../catalogue.ts";
import { capabilityOf, ofOperation, operationsOf } from "./capability.ts";
import { layersOf } from "./layers.ts";
import { subjectOf } from "./lists.ts";

/** The rule that refuses one operation; undefined when none does. */
export function operationRefusal({ policy }: Catalogue, offer: Offer, server: ServerEntry, scope: Scope, operation: string) {
  return layersOf(policy, scope).refusal(subjectOf(offer, operation), ofOperation(server.policy, offer, operation).capability);
}

/** Every operation that anything tells of, each with the rule that refuses it; undefined stands for those that nothing tells of. */
function known(catalogue: Catalogue, offer: Offer, server: ServerEntry, scope: Scope): Map<string | undefined, string | undefined> {
  const layers = layersOf(catalogue.policy, scope);
  const { capability = {}, risk = {} } = operationsOf(server.policy, offer.tool) ?? {};
  const subject = subjectOf(offer);
  const listed = layers.names.flatMap((name) =>
    subject.names.flatMap((tool) => (name.startsWith(`${tool}:`) ? [name.slice(tool.length + 1)] : [])),
  );
  const others = layers.refusal(subject, capabilityOf(server.policy, offer));
  const told = [...new Set([...Object.keys(capability), ...Object.keys(risk), ...listed])];
  return new Map<string | undefined, string | undefined>([
    [undefined, others],
    ...told.map((operation) => [operation, operationRefusal(catalogue, offer, server, scope, operation)] as const),
  ]);
}

/** The rule that refuses a tool altogether: one operation that may be used is enough. */
export function toolRefusal(catalogue: Catalogue, offer: Offer, server: ServerEntry, scope: Scope): string | undefined {
  if (!operationsOf(server.policy, offer.tool))
    return layersOf(catalogue.policy, scope).refusal(subjectOf(offer), capabilityOf(server.policy, offer));
  const refusals = [...known(catalogue, offer, server, scope).values()];
  return refusals.includes(undefined) ? undefined : refusals[0];
}

/** The rule that refuses a call of a tool, whatever it says of its operation; a call that says nothing may mean any. */
export function operationRule(catalogue: Catalogue, offer: Offer, server: ServerEntry, scope: Scope, operation: string | undefined) {
  if (!operationsOf(server.policy, offer.tool)) return undefined;
  if (operation !== undefined) return operationRefusal(catalogue, offer, server, scope, operation);
  return [...known(catalogue, offer, server, scope).values()].find((rule) => rule !== undefined);
}

/** Which values of which parameter a session may use. */
export interface OperationFilter {
  readonly param: string;
  readonly isAllowed: (operation: string) => boolean;
  /** What is known to be allowed, where not everything else is too. */
  readonly only?: readonly string[];
}
/** Undefined for a tool that does one thing, or where everything may be used. */
export function operationFilter(catalogue: Catalogue, offer: Offer, server: ServerEntry, scope: Scope): OperationFilter | undefined {
  const operations = operationsOf(server.policy, offer.tool);
  if (!operations) return undefined;
  const told = known(catalogue, offer, server, scope);
  if ([...told.values()].every((rule) => rule === undefined)) return undefined;
  const only = [...told].flatMap(([operation, rule]) => (operation !== undefined && rule === undefined ? [operation] : []));
  return {
    param: operations.param,
    isAllowed: (operation) => operationRefusal(catalogue, offer, server, scope, operation) === undefined,
    ...(told.get(undefined) !== undefined && { only }),
  };
}
