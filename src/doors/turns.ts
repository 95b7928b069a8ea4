/** `POST /v1/sessions/{id}/turns`: whoever runs an agent records what was said in its conversation. An agent cannot speak for its user. */
import { z } from "zod";
import { sessionAddress } from "../../actors/address.ts";
import { Role } from "../../events/session.ts";
import type { ConversationViews } from "../calls/conversation.ts";
import type { Principal } from "../mcp/upstream/backend.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Vault } from "../secrets/vault.ts";
import type { KnownOperator } from "./guard.ts";
import { bodyOf, failure } from "./operator-body.ts";
import type { Sessions } from "./sessions.ts";

export interface TurnPorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly views: Pick<ConversationViews, "sessionsCalled">;
  readonly vault: Pick<Vault, "redactText">;
  readonly sessions: Pick<Sessions, "touch">;
  readonly position: () => number;
}
/** `session`: its id, or its name. Refuses whoever may not. */
export type RecordTurn = (session: string, request: Request, who: Principal | KnownOperator) => Promise<Response>;

/** Of UTF-8. What is longer is cut. */
const MAX_BYTES = 8192;
const Turn = z.strictObject({ role: Role, text: z.string().min(1) });

export function recordTurn({ runtime, views, vault, sessions, position }: TurnPorts): RecordTurn {
  return async (named, request, who) => {
    if (!mayRecord(who)) return failure(403, "refused", MAY_NOT);
    const read = await bodyOf(request, Turn);
    if ("response" in read) return read.response;
    const [session, other] = views.sessionsCalled(named, "agent" in who ? who.agent : undefined);
    if (!session)
      return failure(404, "tool_not_found", `There is no session ${vault.redactText(named)}${"agent" in who ? OF_AGENT : OF_ANY}`);
    if (other) return failure(409, "refused", "Several agents have a session of this name: give its id (/debug/api/sessions lists them).");
    const { text, isCut } = cut(vault.redactText(read.body.text));
    await runtime.enter(sessionAddress(session.id), { type: "recordTurn", role: read.body.role, by: nameOf(who), payload: { text } });
    sessions.touch(session.id);
    return Response.json({ recorded: true, ...(isCut && { cut: true }), position: position() });
  };
}

const MAY_NOT =
  "Turns are recorded by an operator with the role decide, or with the token of an agent whose entry says host: true. An agent cannot speak for its user.";
const OF_AGENT = " of this agent: its first request (tools/list, GET /v1/tools?session=NAME) opens it. Record the turn after that.";
const OF_ANY = ": its agent's first request opens it, and /debug/api/sessions lists those that there are.";

const mayRecord = (who: Principal | KnownOperator): boolean =>
  "agent" in who ? who.host === true : who.roles.includes("decide") || who.roles.includes("admin");

/** The local socket has no token: who may open it is known by the user it belongs to. */
const nameOf = (who: Principal | KnownOperator): string => {
  if ("agent" in who) return `agent:${who.agent}`;
  return who.tokenHash === "" ? who.name : `operator:${who.name}`;
};

function cut(text: string): { readonly text: string; readonly isCut: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES) return { text, isCut: false };
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true }); // without half of a character at its end
  return { text: `${kept}\n[cut: ${bytes.length - Buffer.byteLength(kept)} more bytes were not kept]`, isCut: true };
}
