/** How sure we are about a call, from what became of its request: the doubt table of docs/guarantees.md, as one function. */
import type { Capability, Certainty, ErrorCode } from "../../events/call.ts";
import type { CallOutcome } from "../mcp/downstream/downstream.ts";

export interface Judgement {
  readonly certainty: Certainty;
  readonly code?: ErrorCode;
  readonly isError?: boolean;
  /** Our own words only: what a server said stands in `result`. */
  readonly reason?: string;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Besides what the connection reports, our own clock may end a call. */
export type Ending =
  | CallOutcome
  | { readonly kind: "timeout"; readonly ms: number }
  | { readonly kind: "cancelled" }
  /** Of a further leg: the server does not know any more what it asked. */
  | { readonly kind: "lapsed" };

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

const cutOff = (capability: Capability, code: ErrorCode, reason: string): Judgement => ({
  certainty: capability === "read" ? "not_applied" : "in_doubt",
  code,
  reason,
});
const errorResult = (message: string) => ({ content: [{ type: "text", text: message }], isError: true });

export function judge(ending: Ending, capability: Capability): Judgement {
  switch (ending.kind) {
    case "result":
      return { certainty: "answered", result: ending.result, ...(ending.result["isError"] === true && { isError: true }) };
    case "rpc_error": {
      const result = errorResult(ending.message);
      if (ending.code === METHOD_NOT_FOUND)
        return { certainty: "not_applied", code: "tool_not_found", reason: "the server does not know this tool", result };
      if (ending.code === INVALID_PARAMS)
        return { certainty: "not_applied", code: "invalid_arguments", reason: "the server does not accept them", result };
      return { certainty: "answered", isError: true, result };
    }
    case "not_sent": {
      const { status } = ending;
      if (ending.authorization) return { certainty: "not_applied", code: "auth_required", reason: ending.reason };
      if (status === 401 || status === 403)
        return { certainty: "not_applied", code: "auth_required", reason: `the server answered HTTP ${status}` };
      if (status !== undefined) return { certainty: "not_applied", code: "execution_failed", reason: `the server answered HTTP ${status}` };
      return { certainty: "not_applied", code: "not_connected", reason: "nothing was sent" };
    }
    case "lost":
      if (ending.isUnread) return cutOff(capability, "execution_failed", `its answer cannot be read: ${ending.reason}`);
      return cutOff(
        capability,
        "execution_failed",
        ending.status === undefined ? "the connection ended before an answer came" : `the server answered HTTP ${ending.status}`,
      );
    case "timeout":
      return cutOff(capability, "timeout", `no answer within ${ending.ms} ms`);
    case "lapsed":
      return {
        certainty: "not_applied",
        code: "execution_failed",
        reason: "the server no longer knows the question that was answered: it has lapsed",
      };
    case "cancelled":
      return cutOff(capability, "cancelled", "no answer after it was cancelled");
  }
}
