/** `resolve_call`: the agent has looked, and says whether a call in doubt was carried out. */
import { z } from "zod";
import { serverAddress } from "../../actors/address.ts";
import { defineTool, refuse } from "./define.ts";

export const resolveCall = defineTool({
  name: "resolve_call",
  description:
    "Settles a call in doubt after you have verified what happened: applied (it was carried out) or not_applied (it was not). Then the same call can go out again.",
  input: z.object({
    call: z.string().describe("The id of the call in doubt."),
    outcome: z.enum(["applied", "not_applied"]),
    note: z.string().max(2000).optional().describe("How you know."),
  }),
  capability: "idempotent",
  decide: ({ call, outcome }, { views, agent, isInDoubt }) => {
    const doubt = views.doubt(call);
    if (!doubt || doubt.agent !== agent)
      return refuse("invalid_arguments", `no call "${call}" of yours is in doubt; call_status lists those that are`);
    if (doubt.resolvedAt !== null) return refuse("invalid_arguments", `"${call}" was resolved already: ${doubt.outcome}, by ${doubt.by}`);
    if (!isInDoubt(doubt.server, call))
      return refuse("invalid_arguments", `"${call}" is being resolved by somebody else just now; call_status tells how`);
    const text = `The call ${call} (${doubt.server} ${doubt.tool}) is now resolved: ${outcome}. The same call may go out again.`;
    return {
      to: serverAddress(doubt.server),
      command: { type: "resolve", call, outcome, by: `agent:${agent}` },
      result: { content: [{ type: "text", text }], structuredContent: { id: call, kind: "call", status: `resolved: ${outcome}` } },
    };
  },
});
