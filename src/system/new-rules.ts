/** Brings rules into force. What has not been sent yet is looked at again in the same breath, so that nothing goes out by what was found out under the rules before. */
import { REGISTRY, sessionAddress } from "../../actors/address.ts";
import { type Catalogue, isAt, placeIn, serverOf } from "../../actors/catalogue.ts";
import { hookKey } from "../../actors/gates/hook.ts";
import type { SessionState } from "../../actors/session-commands.ts";
import type { Hook, Observed } from "../../events/policy.ts";
import { scopeOf } from "../calls/admission.ts";
import { movedFrom } from "../calls/moved.ts";
import type { OpenCall, OpenCalls } from "../calls/open-calls.ts";
import { unsentOf } from "../calls/unsent.ts";
import type { CallViews } from "../calls/views.ts";
import { observe } from "../observe/observation.ts";
import type { Command } from "../runtime/event-log.ts";
import type { Runtime } from "../runtime/turn.ts";

export interface NewRulesPorts {
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
  readonly openCalls: Pick<OpenCalls, "all">;
  readonly views: Pick<CallViews, "sessionName">;
  readonly redact: (text: string) => string;
}

/** Enters a configuration into the registry. Resolves when it is durable; what waits has been looked at by then. */
export type ApplyRules = (command: Command) => Promise<void>;

export function createApplyRules({ runtime, openCalls, views, redact }: NewRulesPorts): ApplyRules {
  const catalogue = () => runtime.stateOf(REGISTRY) as Catalogue;

  function look(call: OpenCall, by: Catalogue): Observed {
    const offer = by.names.get(call.name);
    if (!offer) return {};
    const of = { agent: call.agent, session: () => views.sessionName(call.session), schema: undefined, depth: call.depth ?? 0, redact };
    const observed = observe({ catalogue: by, offer, arguments: call.arguments, ...of });
    const moved = movedFrom(call, by);
    return { ...observed, ...(moved && { guards: [{ rule: moved.rule, reason: moved.reason }] }) };
  }

  function lookAgain(call: OpenCall, before: Catalogue, now: Catalogue): void {
    const offer = now.names.get(call.name);
    if (!offer) return; // judged by its name when its turn comes
    const unsent = unsentOf(runtime, call, offer.server);
    if (!unsent) return;
    const { at, covered } = unsent;
    const enter = (told: Command) => void runtime.enter(at, told).catch(() => undefined); // recorded as turn.failed
    if (covered.length > 0 && hasMoved(offer.server, before, now)) {
      enter({ type: "cancel", call: call.id, by: MOVED });
      return;
    }
    const found = look(call, now);
    const unasked = newHooks(look(call, before), before.policy.preToolUse, found, now.policy.preToolUse);
    const observed = { ...found, ...(unasked.length > 0 && { unasked }) };
    const command = { type: "observe", call: call.id, observed };
    const home = sessionAddress(call.session);
    const { profile } = runtime.stateOf(home) as SessionState;
    enter(at === home ? command : { ...command, scope: scopeOf({ ...call, profile }) });
  }

  return (command) => {
    const before = catalogue();
    const applied = runtime.enter(REGISTRY, command);
    const now = catalogue();
    for (const call of openCalls.all()) lookAgain(call, before, now);
    return applied;
  };
}

/** What people have approved, they have approved for where its server was. */
const MOVED = "the configuration, which points its server to another address";
function hasMoved(server: string, before: Catalogue, now: Catalogue): boolean {
  const place = placeIn(before, server);
  return place !== undefined && !isAt(serverOf(now, server), place);
}

/** Those about a call that were not, or were others, before. */
function newHooks(was: Observed, earlier: readonly Hook[], is: Observed, present: readonly Hook[]): string[] {
  const keyOf = (hooks: readonly Hook[], name: string) => hooks.filter((hook) => hook.name === name).map(hookKey)[0];
  return (is.hooks ?? []).filter((name) => !was.hooks?.includes(name) || keyOf(earlier, name) !== keyOf(present, name));
}
