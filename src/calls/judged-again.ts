/** By what a call that has been sent is judged before it is sent once more: the rules of its session now, and what it does. */
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import { operationsOf } from "../../actors/policy/capability.ts";
import type { JudgedAgain } from "../../actors/server-commands.ts";
import { operationSaid } from "../observe/operation.ts";
import { scopeOf } from "./admission.ts";
import type { OpenCall } from "./open-calls.ts";

export interface JudgedAgainPorts {
  readonly catalogue: () => Catalogue;
  /** Of a session, as it is now. */
  readonly profileOf: (session: string) => string;
}
export type JudgedBy = (
  call: Pick<OpenCall, "session" | "client" | "narrow" | "arguments" | "profile">,
  at: { readonly server: string; readonly tool: string },
) => JudgedAgain;

export function createJudgedBy({ catalogue, profileOf }: JudgedAgainPorts): JudgedBy {
  return (call, { server, tool }) => {
    const policy = serverOf(catalogue(), server)?.policy;
    const operations = policy && operationsOf(policy, tool);
    const operation = operations && operationSaid(operations, call.arguments);
    return { scope: scopeOf({ ...call, profile: profileOf(call.session) }), ...(operation !== undefined && { operation }) };
  };
}
