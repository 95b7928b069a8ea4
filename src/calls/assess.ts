/** Looks at what a downstream tool answered: whether the call may go out again with an argument that we know, or what to tell beside the error. */

import { isRepeatable } from "../../actors/repeat.ts";
import type { Invoke } from "../../actors/server-commands.ts";
import type { ToolDefinition } from "../mcp/downstream/definitions.ts";
import type { CallOutcome } from "../mcp/downstream/downstream.ts";
import { describeArgumentProblem } from "./diagnose.ts";
import { describeFilled, describeMissing, type EarlierCall, ourNote } from "./enrich.ts";
import { type KnownValue, knownValue } from "./known-values.ts";
import { complaintIn, missingFields } from "./missing-field.ts";
import type { OpenCall } from "./open-calls.ts";
import { parameterOf } from "./parameters.ts";

/** One way or the other; neither when there is nothing to say. */
export interface Assessment {
  readonly fill?: KnownValue & { readonly field: string };
  /** A text block of our own, to stand after the tool's. */
  readonly note?: string;
}
export interface AssessPorts {
  /** As the server declared it; undefined for built-in tools. */
  readonly definitionOf: (server: string, tool: string) => ToolDefinition | undefined;
  /** Of this session, answered without an error, newest first. */
  readonly earlier: (session: string) => Iterable<EarlierCall>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** IANA name. */
  readonly timeZone: string;
}
export type Assess = (effect: Invoke, call: Pick<OpenCall, "arguments" | "kind" | "records">, outcome: CallOutcome) => Assessment;

const NOTHING: Assessment = {};

export function createAssess({ definitionOf, earlier, now, timeZone }: AssessPorts): Assess {
  return (effect, call, outcome) => {
    const complaint = complaintIn(outcome);
    const definition = complaint && call.kind === undefined ? definitionOf(effect.server, effect.tool) : undefined;
    if (!complaint || !definition) return NOTHING;
    const schema = definition.inputSchema;
    const { filled = {} } = effect;
    const fields = missingFields(complaint.text, schema, { ...call.arguments, ...filled });
    const [field] = fields;
    const parameter = field === undefined ? undefined : parameterOf(schema, field);
    const known = field === undefined ? undefined : knownValue(field, parameter, { now: now(), timeZone });
    const wasAsked = (call.records ?? []).length > 0; // what was answered does not go out again
    if (field !== undefined && known && !wasAsked && isRepeatable(effect, field)) return { fill: { field, ...known } };
    const missing =
      field === undefined
        ? undefined
        : describeMissing({
            field,
            parameter,
            description: definition.description,
            known: known?.value,
            earlier: earlier(effect.session),
          });
    const failed = { text: field === undefined ? complaint.text : "", schema, arguments: call.arguments };
    const hint = complaint.soft ? undefined : describeArgumentProblem(failed, (key) => fields.includes(key));
    const note = ourNote(describeFilled(filled, "; this is its answer to that."), missing, hint);
    return note === undefined ? NOTHING : { note };
  };
}
