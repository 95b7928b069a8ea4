/** What the end of a request to a server is looked at with: what it misses, what it may do again, what is noted beside it. */
import { BUILTIN } from "../../actors/address.ts";
import { questionsNote } from "../../actors/elicit/notes.ts";
import { createAssess } from "../calls/assess.ts";
import type { ToolResult } from "../calls/open-calls.ts";
import type { CallViews } from "../calls/views.ts";
import type { LegPorts } from "../effects/leg.ts";
import type { ToolDefinition } from "../mcp/downstream/definitions.ts";
import { createFinish } from "../questions/finish.ts";
import type { KeptTask } from "../questions/kept.ts";
import type { Runtime } from "../runtime/turn.ts";

export interface LegParts {
  readonly runtime: Pick<Runtime, "now" | "catalogue">;
  readonly views: Pick<CallViews, "answered">;
  /** As it may be quoted. */
  readonly definitionOf: (server: string, tool: string) => ToolDefinition | undefined;
  readonly judgedBy: LegPorts["judgedBy"];
  readonly conceal: LegPorts["conceal"];
}

/** Of a session, when a tool misses an argument: calls that may lead to its value. */
const EARLIER_MS = 3_600_000;

export function createLegPorts({ runtime, views, definitionOf, judgedBy, conceal }: LegParts) {
  const parametersOf = ({ server, tool }: { readonly server: string; readonly tool: string }): readonly string[] | undefined => {
    const properties = definitionOf(server, tool)?.inputSchema["properties"];
    return typeof properties === "object" && properties !== null ? Object.keys(properties) : undefined;
  };
  const noted = (result: ToolResult, { records, call }: KeptTask): ToolResult => {
    const note = questionsNote(records, parametersOf(call));
    const content = Array.isArray(result["content"]) ? result["content"] : [];
    return note === undefined ? result : { ...result, content: [...content, { type: "text", text: note }] };
  };
  const assess = createAssess({
    definitionOf: (server, tool) => (server === BUILTIN ? undefined : definitionOf(server, tool)),
    earlier: (session) => views.answered(session, runtime.now() - EARLIER_MS),
    now: runtime.now,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  return { legs: { assess, judgedBy, conceal, parametersOf } satisfies LegPorts, finish: createFinish({ conceal, noted }) };
}
