/** How a call leaves: to a built-in tool, as a prompt, or as a tool of a server. */
import { BUILTIN } from "../../actors/address.ts";
import type { OpenCall, ToolResult } from "../calls/open-calls.ts";
import type { Connections } from "../effects/connections.ts";
import type { CallOutcome, CallReply, CallRequest } from "../mcp/downstream/downstream.ts";
import { asToolOutcome, promptRequest } from "../mcp/downstream/prompt-call.ts";
import { measure } from "../observe/bounds.ts";
import type { ToolContext } from "../tools/define.ts";
import { runBuiltin } from "./builtin.ts";

export interface SendPorts {
  readonly connections: Pick<Connections, "send" | "request">;
  readonly context: (call: OpenCall, request: CallRequest) => ToolContext;
  readonly redact: (text: string) => string;
  readonly conceal: (result: ToolResult, scope: { session: string; server?: string }) => ToolResult;
}
/** Never rejects. */
export type Send = (server: string, call: OpenCall, request: CallRequest) => Promise<CallReply>;

/** What a server may say beside an error. */
const DATA_LIMITS = { elements: 10_000, depth: 64 } as const;

export function createSend({ connections, context, redact, conceal }: SendPorts): Send {
  const sendOut: Send = async (server, call, request) => {
    if (server === BUILTIN) return runBuiltin(request, context(call, request));
    if (call.kind !== "prompt") return connections.send(server, call, request);
    const outcome = await connections.request(server, promptRequest(request));
    return call.native ? outcome : asToolOutcome(outcome);
  };
  const errorOf = (error: Extract<CallOutcome, { kind: "rpc_error" }>, session: string, server: string) => {
    const { code, message, data, isElsewhere = false } = error;
    const isFit = data !== undefined && !measure(data, DATA_LIMITS).exceeded;
    return { code, message: redact(message), ...(isFit && conceal({ data }, { session, ...(!isElsewhere && { server }) })) };
  };
  return async (server, call, request) => {
    const outcome = await sendOut(server, call, request);
    if (call.native && outcome.kind === "rpc_error") call.rpcError = errorOf(outcome, call.session, server);
    return outcome;
  };
}
