/** An operator lets an agent ask again for what it was denied: `POST /v1/agents/AGENT/denials/reset`. */

import { DENIALS } from "../../actors/address.ts";
import { type DenialsState, deniedTools } from "../../actors/denials.ts";
import type { Runtime } from "../runtime/turn.ts";
import type { Routes } from "./http.ts";

export interface DenialResetPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf" | "now">;
  readonly position: () => number;
}

const RESET = /^\/v1\/agents\/([^/]+)\/denials\/reset$/;

/** Answers with the tools that were forgiven, as published, with `:operation` where they have several. */
export function denialReset({ runtime, position }: DenialResetPorts): Routes {
  return async (request, { pathname }, { name }) => {
    const encoded = RESET.exec(pathname)?.[1];
    if (encoded === undefined || request.method !== "POST") return undefined;
    const agent = decodeURIComponent(encoded);
    const denied = deniedTools(runtime.stateOf(DENIALS) as DenialsState, agent, runtime.now());
    await runtime.enter(DENIALS, { type: "forgive", agent, by: `operator:${name}` });
    return Response.json({ tools: [...new Set(denied.map(({ tool }) => tool))], position: position() });
  };
}
