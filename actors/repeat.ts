/** When a call that was answered goes out once more: with an argument that the tool misses and that we know, and only if it cannot have acted twice. */
import type { Capability } from "../events/call.ts";
import { CallRepeated } from "../events/repeat.ts";
import { nameOf } from "./address.ts";
import { serverOf } from "./catalogue.ts";
import type { TurnContext } from "./define.ts";
import { allowsArguments } from "./gates/pipeline.ts";
import { authorise } from "./policy/allow.ts";
import { ofOperation } from "./policy/capability.ts";
import { operationRule } from "./policy/operations.ts";
import type { Fill, InFlight, JudgedAgain } from "./server-commands.ts";

const MAX_REPEATS = 4;

/** Whether a call that was answered may go out again with this field: never one that may have acted, and each time with another field. */
export function isRepeatable(
  { capability, filled = {} }: { readonly capability: Capability; readonly filled?: Readonly<Record<string, string>> },
  field: string,
): boolean {
  return capability !== "mutating" && !Object.hasOwn(filled, field) && Object.keys(filled).length < MAX_REPEATS;
}

/** The repeat of a call whose answer says what it misses; undefined when it stays at that answer. Judged by the catalogue of this turn, for its session. */
export function repetition(
  flight: InFlight,
  fill: Fill,
  { scope, observed = {} }: JudgedAgain,
  { now, self, catalogue }: TurnContext,
  payload: unknown,
) {
  if (flight.cancelling || flight.questions || flight.deadline <= now || !isRepeatable(flight, fill.field)) return undefined;
  const server = serverOf(catalogue, nameOf(self));
  const offer = server?.offers.get(flight.tool);
  if (!server || !offer || !authorise(catalogue, offer.name, { ...scope, via: "queue" }).allowed) return undefined;
  if (operationRule(catalogue, offer, server, scope, observed.operation) !== undefined) return undefined;
  if (ofOperation(server.policy, offer, observed.operation).capability !== flight.capability) return undefined;
  if (!allowsArguments({ offer, server, observed }, { catalogue })) return undefined; // with what is added
  const { call, session, capability, filled = {} } = flight;
  return CallRepeated({ call, session, capability, leg: Object.keys(filled).length + 2, ...fill }, payload);
}
