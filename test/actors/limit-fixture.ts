/** A catalogue whose default profile has limits, and calls that are asked one after the other. */
import type { Catalogue } from "../../actors/catalogue.ts";
import { decide, evolve } from "../../actors/define.ts";
import { DEFAULT_CALL_LIMITS, DEFAULT_POLICY, DEFAULT_PROFILE } from "../../actors/policy/defaults.ts";
import { Session } from "../../actors/session.ts";
import type { SessionCommand, SessionState } from "../../actors/session-commands.ts";
import type { CallLimits, Profile } from "../../events/policy.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { SessionOpened } from "../../events/session.ts";
import { catalogueOf } from "./fixtures.ts";

export const opened = SessionOpened({ agent: "ada", name: "desk", client: "cli", era: "legacy", profile: "default" });

export function limited(limits: Partial<CallLimits>, server: Partial<ServerPolicy> = {}, profile: Partial<Profile> = {}): Catalogue {
  const own: Profile = { ...DEFAULT_PROFILE, ...profile, limits: { ...DEFAULT_CALL_LIMITS, ...limits } };
  return { ...catalogueOf(server), policy: { ...DEFAULT_POLICY, profiles: { ...DEFAULT_POLICY.profiles, default: own } } };
}

export const askOf = (call: string, digest = "d1", name = "mail__list") =>
  ({ type: "ask", call, name, digest, timeoutMs: 60_000, payload: {} }) as const;

/** One session that goes on in time; `step` tells the events of a command. */
export function sessionUnder(catalogue: Catalogue) {
  let state: SessionState = evolve(Session, Session.initialState, opened);
  let asked = 0;
  const step = (now: number, command: SessionCommand, under = catalogue) => {
    const events = decide(Session, state, command, { now, self: "session/s_1", catalogue: under, id: (prefix) => `${prefix}_1` });
    for (const event of events) state = evolve(Session, state, event);
    return events;
  };
  return {
    step,
    get state() {
      return state;
    },
    /** Whether a call of these arguments is let through; it is answered at once with `result` unless that is undefined. */
    ask(now: number, digest: string, result?: string, name?: string): boolean {
      const call = `c_${asked++}`;
      const passed = step(now, askOf(call, digest, name)).some(({ type }) => type === "call.requested");
      if (passed && result !== undefined) step(now, { type: "settle", call, certainty: "answered", resultDigest: result });
      return passed;
    },
  };
}
