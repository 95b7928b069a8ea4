/** An operator lets an agent ask again for what it was denied: `POST /v1/agents/AGENT/denials/reset`. */

import { sessionAddress } from "../../actors/address.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { CallViews } from "../calls/views.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Routes } from "./http.ts";

export interface DenialResetPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly views: Pick<CallViews, "deniedSessions">;
  readonly position: () => number;
}

const RESET = /^\/v1\/agents\/([^/]+)\/denials\/reset$/;

/** Answers with the sessions in which something was forgiven. */
export function denialReset({ runtime, views, position }: DenialResetPorts): Routes {
  return async (request, { pathname }, { name }) => {
    const agent = RESET.exec(pathname)?.[1];
    if (agent === undefined || request.method !== "POST") return undefined;
    const forgiven: string[] = [];
    for (const session of views.deniedSessions(decodeURIComponent(agent))) {
      const { counts } = runtime.stateOf(sessionAddress(session)) as SessionState;
      if (Object.keys(counts.denials).length === 0) continue;
      await runtime.enter(sessionAddress(session), { type: "forgiveDenials", by: `operator:${name}` });
      forgiven.push(session);
    }
    return Response.json({ sessions: forgiven, position: position() });
  };
}
