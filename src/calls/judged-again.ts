/** By what a call that has been sent is judged before it is sent once more: the rules of its session now, and its arguments with what is added. */
import { type Catalogue, serverOf } from "../../actors/catalogue.ts";
import type { JudgedAgain } from "../../actors/server-commands.ts";
import { observe } from "../observe/observation.ts";
import { scopeOf } from "./admission.ts";
import type { OpenCall } from "./open-calls.ts";

export interface JudgedAgainPorts {
  readonly catalogue: () => Catalogue;
  /** Of a session, as it is now. */
  readonly profileOf: (session: string) => string;
  readonly redact: (text: string) => string;
}
export type JudgedBy = (
  call: Pick<OpenCall, "agent" | "session" | "client" | "narrow" | "arguments" | "profile">,
  at: { readonly server: string; readonly tool: string },
  /** What is added to its arguments. */
  filled: Readonly<Record<string, string>>,
) => JudgedAgain;

export function createJudgedBy({ catalogue, profileOf, redact }: JudgedAgainPorts): JudgedBy {
  return (call, { server, tool }, filled) => {
    const offer = serverOf(catalogue(), server)?.offers.get(tool);
    const args = { ...call.arguments, ...filled };
    const of = { agent: call.agent, session: () => "", schema: undefined, depth: 0, redact };
    const { hooks: _h, unjudged: _u, ...observed } = (offer && observe({ catalogue: catalogue(), offer, arguments: args, ...of })) ?? {};
    return { scope: scopeOf({ ...call, profile: profileOf(call.session) }), ...(Object.keys(observed).length > 0 && { observed }) };
  };
}
